// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// machine is the instruction set of what is probed.
var machine = arch.X86_64

// paramLocation returns where the i-th parameter is at the function's entry.
func paramLocation(types btf.Table, p *btf.Proto, i int, at syntax.Pos) *location {
	used := 0
	if inMemory(types, p.Result) {
		used = 1 // the hidden pointer to the result
	}
	return argLocation(types, p, i, used, machine.ReturnAddress, at)
}

// argLocation returns where the i-th parameter is if used registers carry
// something else, and the first argument on the stack is at sp + stack.
func argLocation(types btf.Table, p *btf.Proto, i, used int, stack int64, at syntax.Pos) *location {
	l := &location{types: types, at: at, what: "$" + p.Params[i].Name, typ: p.Params[i].Type}
	for j, param := range p.Params {
		size := types.Size(param.Type)
		words := int((size + machine.WordSize - 1) / machine.WordSize)
		float := types.Kind(types.Strip(param.Type)) == btf.Float
		fits := !float && !inMemory(types, param.Type) && used+words <= len(machine.Arguments)
		if j < i {
			switch {
			case fits:
				used += words
			case !float:
				stack += int64(words) * machine.WordSize
			}
			continue
		}
		if fits {
			for k := range words {
				l.regs = append(l.regs, &program.Argument{At: at, Index: used + k})
			}
			if words == 1 {
				l.store = l.regs[0]
			}
			break
		}
		l.addr, l.pos = &program.Register{At: at, Number: machine.StackPointer}, 8*stack
		break
	}
	return l
}

// resultLocation returns where the result is when the function returns.
func resultLocation(types btf.Table, p *btf.Proto, at syntax.Pos) *location {
	l := &location{types: types, at: at, what: "$return", typ: p.Result}
	if inMemory(types, p.Result) {
		l.addr = &program.ReturnValue{At: at}
		return l
	}
	l.regs = []program.Expr{&program.ReturnValue{At: at}}
	if types.Size(p.Result) > machine.WordSize {
		l.regs = append(l.regs, &program.Register{At: at, Number: machine.Results[1]})
	} else {
		l.store = l.regs[0]
	}
	return l
}

// inMemory reports whether values of type id are never passed in registers.
func inMemory(types btf.Table, id btf.ID) bool {
	switch types.Kind(types.Strip(id)) {
	case btf.Struct, btf.Union, btf.Array:
		return types.Size(id) > machine.MaxInRegisters
	}
	return false
}
