// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// x86-64's calling convention: six registers for arguments, two for a result.
const (
	argRegisters = 6
	dwarfRDX     = 1
	dwarfRSP     = 7
	firstStack   = 8 // the first argument on the stack, from sp at a function's first instruction
)

// paramLocation returns where the i-th parameter is at the function's entry.
func paramLocation(types btf.Table, p *btf.Proto, i int, at syntax.Pos) *location {
	used := 0
	if inMemory(types, p.Result) {
		used = 1 // the hidden pointer to the result
	}
	return argLocation(types, p, i, used, firstStack, at)
}

// argLocation returns where the i-th parameter is if used registers carry
// something else, and the first argument on the stack is at sp + stack.
func argLocation(types btf.Table, p *btf.Proto, i, used int, stack int64, at syntax.Pos) *location {
	l := &location{types: types, at: at, what: "$" + p.Params[i].Name, typ: p.Params[i].Type}
	for j, param := range p.Params {
		size := types.Size(param.Type)
		words := int((size + 7) / 8)
		float := types.Kind(types.Strip(param.Type)) == btf.Float
		fits := !float && !inMemory(types, param.Type) && used+words <= argRegisters
		if j < i {
			switch {
			case fits:
				used += words
			case !float:
				stack += int64(words) * 8
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
		l.addr, l.pos = &program.Register{At: at, Number: dwarfRSP}, 8*stack
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
	if types.Size(p.Result) > 8 {
		l.regs = append(l.regs, &program.Register{At: at, Number: dwarfRDX})
	} else {
		l.store = l.regs[0]
	}
	return l
}

// inMemory reports whether values of type id are never passed in registers.
func inMemory(types btf.Table, id btf.ID) bool {
	switch types.Kind(types.Strip(id)) {
	case btf.Struct, btf.Union, btf.Array:
		return types.Size(id) > 16
	}
	return false
}
