// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"github.com/pkg/errors"

	"gostap/elaborate/executable"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// ThreadVariables returns where a thread has its own variables of the image, of which one is wanted that is offset bytes into them,
// for a handler of a probe at from in it; 0 is for probes elsewhere.
func (s *Source) ThreadVariables(at syntax.Pos, offset program.Expr, from uint64) (program.Expr, error) {
	p, ok := s.Image.(*Program)
	if !ok {
		return nil, errors.New("it is a thread's own, which can be told in programs alone")
	}
	if slot, ok := p.ThreadSlot(); ok {
		return p.libraryThreadVariables(at, slot, offset, from)
	}
	size, ok := p.ThreadVariables()
	if !ok {
		return nil, errors.Errorf("it is a thread's own in a library, and nothing in the library says where it has them: %s", p.Path)
	}
	if from == 0 {
		return nil, errors.New("it is a thread's own, which can be told in probes of its program alone")
	}
	return program.Plus(at, &program.ThreadPointer{At: at}, -int64(size)), nil
}

// libraryThreadVariables finds a library's by what the dynamic linker has written into a slot of it: how far from the
// thread's pointer they are, or the number of the library among those that have such variables. The second word behind the
// thread's pointer is the address of a table with 16 bytes for each of them, of which the first 8 are the address of the
// thread's copy, 0 or -1 until it has one, when all are as the library has them at first; in front of the table stands for how many there is room.
// (ELF Handling For Thread-Local Storage, section 3; glibc's sysdeps/generic/dl-dtv.h.)
func (p *Program) libraryThreadVariables(at syntax.Pos, slot executable.ThreadSlot, offset program.Expr, from uint64) (program.Expr, error) {
	where, err := p.Address(at, slot.Addr, from)
	if err != nil {
		return nil, err
	}
	load := func(addr program.Expr) program.Expr { return &program.Deref{At: at, Addr: addr, Size: 8, User: true} }
	binary := func(op string, x, y program.Expr) program.Expr { return &program.Binary{At: at, Op: op, X: x, Y: y} }
	if !slot.Number {
		return program.Plus(at, binary("+", &program.ThreadPointer{At: at}, load(where)), -slot.Addend), nil
	}
	table := load(program.Plus(at, &program.ThreadPointer{At: at}, 8))
	entry := binary("+", table, binary("*", load(where), &program.Number{At: at, Value: 16}))
	first := program.Expr(&program.Number{At: at, Value: -1})
	if n, ok := offset.(*program.Number); ok {
		if addr, ok := p.InitialVariables(n.Value); ok {
			if first, err = p.Address(at, addr, from); err != nil {
				return nil, err
			}
		}
	}
	return &program.Cond{At: at, If: &program.Logical{At: at, Op: "&&",
		X: &program.Compare{At: at, Op: "<=", X: load(where), Y: load(program.Plus(at, table, -16))},
		Y: &program.Compare{At: at, Op: ">", X: load(entry), Y: &program.Number{At: at}}},
		Then: load(entry), Else: first}, nil
}
