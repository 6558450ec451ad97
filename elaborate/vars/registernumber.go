// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// registerNumber resolves @kregister(N) and @uregister(N): the register with DWARF's number N
// at the hit, in the kernel or in a program.
func (v *Resolver) registerNumber(x *syntax.AtExpr) *program.Value {
	n, ok := int64(0), len(x.Args) == 1
	if ok {
		n, ok = constant(x.Args[0])
	}
	_, function := v.site.(*function)
	switch {
	case !ok || !machine.Visible(n):
		return Refused(x.At, "@%s takes the number that DWARF has for a register: 0 to %d", x.Op, len(machine.Registers)-1)
	case x.Op == "uregister" && !v.site.inProgram():
		return Refused(x.At, "@uregister is a register of a program: it stands in probes of process(…)")
	case x.Op == "kregister" && v.site.inProgram():
		return Refused(x.At, "@kregister is a register of the kernel's: this probe is in a program, whose registers @uregister has")
	case !function && !v.site.inProgram():
		return Refused(x.At, "@%s: this probe has no registers", x.Op)
	}
	return &program.Value{X: &program.Register{At: x.At, Number: int(n)}}
}
