// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/syntax"
)

// A pointee is a variable whose pointer the compiler has optimized out: the variable
// is not in memory, but parts of it may have locations (DW_OP_implicit_pointer).
type pointee func() (*location, error)

// pointees returns the pointees of a variable's pieces, by the pieces' offsets in it, in
// bits.
func (r *resolution) pointees(s *scope, pieces []dwarf.Piece) map[int64]pointee {
	list := map[int64]pointee{}
	pos := int64(0)
	for _, p := range pieces {
		if p.Kind == dwarf.IsPointer && (p.Bits == 0 || p.Bits == 64) {
			list[pos] = func() (*location, error) {
				to, err := r.at(s, p.To)
				if err != nil {
					return nil, err
				}
				to.pos += 8 * p.N
				return to, nil
			}
		}
		pos += p.Bits
	}
	return list
}

// pointee returns the pointee of the pointer at l, if the pointer has no value.
func (l *location) pointee() pointee {
	if l.addr != nil || l.types.Kind(l.real()) != btf.Pointer {
		return nil
	}
	return l.pointees[l.pos]
}

// follow returns the location that the pointer at l points to.
func (l *location) follow(to pointee) (*location, *syntax.Diagnostic) {
	out, err := to()
	if err != nil {
		return nil, l.fail("what %s points to has no value here: %v", l.what, err)
	}
	out.types, out.full, out.typ = l.types, l.full, l.types.Target(l.real())
	out.what, out.store = l.what, nil
	return out, nil
}

// noNumber is the error for the value of a pointer to a variable that is not in memory.
func (l *location) noNumber() *syntax.Diagnostic {
	d := l.fail("%s has no number: what it points to is not in memory", l.what)
	example := l.what + "[0]"
	if names := l.types.MemberNames(l.types.Strip(l.types.Target(l.real()))); len(names) > 0 {
		example = l.what + "->" + names[0]
	}
	d.Hint = "what it points to can be read, part by part: " + example
	return d
}
