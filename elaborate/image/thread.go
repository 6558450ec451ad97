// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"github.com/pkg/errors"

	"gostap/elaborate/executable"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// ThreadVariables returns an expression for the address of the current thread's copy of the image's
// thread-local variables, for an access to the one at offset, and for a probe at from in the image;
// from is 0 for probes elsewhere.
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

// libraryThreadVariables finds a library's thread-local variables by a slot that the dynamic linker has filled in: with their offset
// from the thread pointer, or with the library's module ID. The second word at the thread pointer is the address of the dynamic thread
// vector, which has 16 bytes for each module ID. The first 8 are the address of the thread's copy; 0 or -1 while the thread has none, and
// the variables have their initial values. In front of the vector is its length.
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
