// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"gostap/elaborate/btf"
)

// Attributes of Go's types (cmd/internal/dwarf in the Go tree: DW_AT_go_kind, DW_AT_go_key, DW_AT_go_elem).
const (
	attrGoKind = dwarf.Attr(0x2900)
	attrGoKey  = dwarf.Attr(0x2901)
	attrGoElem = dwarf.Attr(0x2902)
)

// A GoKind is a kind of Go's types, by package reflect's number.
type GoKind uint64

// The kinds that debuginfo describes as structs or pointers.
const (
	GoComplex64  GoKind = 15
	GoComplex128 GoKind = 16
	GoInterface  GoKind = 20
	GoMap        GoKind = 21
	GoSlice      GoKind = 23
	GoString     GoKind = 24
)

// Go returns the kind of id in Go, 0 if it is none of those above; for a map the types of its keys and
// elements, for a slice that of its elements.
func (t *Types) Go(id btf.ID) (kind GoKind, key, elem btf.ID) {
	for range maxTypes {
		d, ok := t.die(id)
		if !ok {
			break
		}
		switch n, _ := d.number(attrGoKind); GoKind(n) {
		case GoComplex64, GoComplex128, GoInterface, GoMap, GoSlice, GoString:
			return GoKind(n), t.ref(d, attrGoKey), t.ref(d, attrGoElem)
		}
		if d.tag != dwarf.TagTypedef {
			break
		}
		id = t.Target(id)
	}
	return 0, 0, 0
}

// IsGo reports whether Go's compiler made the scope's code.
func (s *Scope) IsGo() bool { return s.u.language() == langGo }

// IsRust reports whether rustc made the scope's code.
func (s *Scope) IsRust() bool { return s.u.language() == langRust }

// Results returns the variables that a function of Go returns, in their order. A result that a closure changes is listed twice.
func (s *Scope) Results() (list []*Variable) {
	if !s.IsGo() {
		return nil
	}
	for _, v := range s.vars {
		twice := slices.ContainsFunc(list, func(other *Variable) bool { return other.Name == v.Name && v.Name != "_" })
		if v.Result && !twice {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b *Variable) int { return cmp.Compare(a.declared, b.declared) })
	return list
}
