// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// machine is the instruction set of the probed code.
var machine = arch.X86_64

// paramLocation returns the location of the i-th parameter at the function's entry.
func paramLocation(types btf.Table, p *btf.Proto, i int, at syntax.Pos) *location {
	used := 0
	if inMemory(types, p.Result) {
		used = 1 // the hidden pointer to the result
	}
	return argLocation(types, p, i, used, machine.ReturnAddress, at)
}

// argLocation returns the location of the i-th parameter if the first used registers
// are taken, and the first argument on the stack is at sp + stack.
func argLocation(types btf.Table, p *btf.Proto, i, used int, stack int64, at syntax.Pos) *location {
	l := &location{types: types, at: at, what: "$" + p.Params[i].Name, typ: p.Params[i].Type}
	vectors := 0
	for j, param := range p.Params {
		c := classify(types, param.Type)
		fits := !c.memory && used+c.count(general) <= len(machine.Arguments) && vectors+c.count(vector) <= machine.VectorArguments
		if c.align > machine.WordSize && !fits {
			stack = (stack-machine.ReturnAddress+c.align-1)&^(c.align-1) + machine.ReturnAddress
		}
		if j < i {
			if fits {
				used += c.count(general)
				vectors += c.count(vector)
			} else {
				stack += int64(len(c.words)) * machine.WordSize
			}
			continue
		}
		if !fits {
			l.addr, l.pos = &program.Register{At: at, Number: machine.StackPointer}, 8*stack
			if c.byRef {
				l.addr, l.pos = &program.Deref{At: at, Addr: l.bytesOn(stack), Size: int(machine.WordSize), User: true}, 0
			}
			break
		}
		if c.byRef {
			l.addr = &program.Argument{At: at, Index: used}
			break
		}
		l.regs = c.registers(func(n int) program.Expr { return &program.Argument{At: at, Index: used + n} },
			func(n int) program.Expr { return vectorRegister(at, vectors+n) })
		if len(c.words) == 1 && c.words[0] == general {
			l.store = l.regs[0]
		}
		break
	}
	return l
}

// resultLocation returns the location of the result at the function's return.
func resultLocation(types btf.Table, p *btf.Proto, at syntax.Pos) *location {
	l := &location{types: types, at: at, what: "$return", typ: p.Result}
	if inMemory(types, p.Result) {
		l.addr = &program.ReturnValue{At: at}
		return l
	}
	c := classify(types, p.Result)
	l.regs = c.registers(func(n int) program.Expr {
		if n == 0 {
			return &program.ReturnValue{At: at}
		}
		return &program.Register{At: at, Number: machine.Results[1]}
	}, func(n int) program.Expr { return vectorRegister(at, n) })
	if len(l.regs) == 1 && c.words[0] == general {
		l.store = l.regs[0]
	}
	return l
}

// inMemory reports whether values of type id are never passed in registers.
func inMemory(types btf.Table, id btf.ID) bool {
	switch types.Kind(types.Strip(id)) {
	case btf.Struct, btf.Union, btf.Array:
		return types.Size(id) > machine.MaxInRegisters || classify(types, id).memory || types.ByReference(types.Strip(id))
	}
	return false
}
