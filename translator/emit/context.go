// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/translator/program"
)

// argumentRegs are the fields of struct gs_regs that carry a function's first
// arguments on x86-64; the others are on the stack.
var argumentRegs = []string{"di", "si", "dx", "cx", "r8", "r9"}

// dwarfRegs are the fields of struct gs_regs by DWARF number on x86-64.
var dwarfRegs = []string{
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip",
}

// contextual evaluates what depends on the probe site.
func (b *body) contextual(e program.Expr) value {
	switch e := e.(type) {
	case *program.Argument:
		if e.Index >= len(argumentRegs) {
			return b.load(fmt.Sprintf("c->regs->sp + %d", 8*(e.Index-len(argumentRegs)+1)), &program.Deref{At: e.At, Size: 8})
		}
		return value{"(gs_s64)" + b.register(e), volatile}
	case *program.ReturnValue, *program.Register:
		return value{"(gs_s64)" + b.register(e), volatile}
	case *program.SavedValue:
		off := b.saved[e.Index]
		if e.Kind == program.String {
			return temporaryValue("((struct gs_str){ (char *)&c->saved[%d], c->saved[%d] })", off+1, off)
		}
		return temporaryValue("(gs_s64)c->saved[%d]", off)
	case *program.SymbolAddr:
		return temporaryValue("(gs_s64)gs_symbols[%d]", b.g.symbol(e.Module, e.Symbol, 0))
	case *program.Deref:
		return b.load(b.expr(e.Addr).c, e)
	}
	panic(fmt.Sprintf("emit: unexpected expression %T", e))
}

func (b *body) load(addr string, e *program.Deref) value {
	t := b.temp()
	b.line("gs_s64 %s = (%s)gs_load(c, %s, %d, %s, %s);", t, intType(e.Size, e.Signed), addr, e.Size, boolText(e.User), near("a pointer", e.At))
	b.check()
	return temporaryValue(t)
}

// register spells a register at the probe site.
func (b *body) register(e program.Expr) string {
	switch e := e.(type) {
	case *program.Argument:
		if e.Index < len(argumentRegs) {
			return "c->regs->" + argumentRegs[e.Index]
		}
	case *program.ReturnValue:
		return "c->regs->ax"
	case *program.Register:
		if e.Number >= 0 && e.Number < len(dwarfRegs) {
			return "c->regs->" + dwarfRegs[e.Number]
		}
	}
	b.g.diags.Errorf(e.Pos(), "no such register or place on x86-64")
	return "c->regs->ax"
}
