// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
)

// passedAsInC reports whether a parameter of a Rust function is where C would have it. Rust promises nothing about how it
// passes values, and has changed it between versions. All versions pass a value of two scalars in two registers, what has up to
// one in one, and what is of more than two words by a pointer; of the rest nothing is known, and so of what follows it.
func passedAsInC(s *scope, v *dwarf.Variable) bool {
	types := s.Info.Types()
	if id := s.Result(); id != 0 && types.Size(id) != 0 && !plainInRust(types, id) {
		return false // it may be returned by a pointer, which is passed before all
	}
	for _, one := range s.params() {
		if !plainInRust(types, one.Type) {
			return false
		}
		if one == v {
			return true
		}
	}
	return false
}

// plainInRust reports whether Rust passes values of a type as C does, or, if they are of more than two words, by a pointer.
func plainInRust(types *dwarf.Types, id btf.ID) bool {
	size := types.Size(id)
	if !aggregate(types, id) {
		return size <= machine.WordSize
	}
	if size > machine.MaxInRegisters {
		return true
	}
	scalars := scalarsOf(types, id, 0, nil)
	switch len(scalars) {
	case 1:
		return true
	case 2:
		// C packs what lies in one word.
		return max(scalars[0], scalars[1])/machine.WordSize != min(scalars[0], scalars[1])/machine.WordSize
	}
	return false
}

// maxScalars is more than are passed in registers of their own.
const maxScalars = 3

// scalarsOf appends the offsets of a value's scalars to list, at most maxScalars; so many are also what is made of them in another way.
func scalarsOf(types *dwarf.Types, id btf.ID, at int64, list []int64) []int64 {
	id = types.Strip(id)
	if types.Size(id) == 0 || len(list) >= maxScalars {
		return list
	}
	switch types.Kind(id) {
	case btf.Struct:
		tag, variants := types.Variants(id)
		if len(variants) > 0 && tag.Type != 0 && types.Size(tag.Type) == types.Size(id) {
			return append(list, at) // Option<&T>, of which null is None: one scalar tells the variant and is the data
		}
		if len(variants) > 0 {
			return make([]int64, maxScalars)
		}
		for _, m := range types.Members(id) {
			list = scalarsOf(types, m.Type, at+m.Offset/8, list)
		}
		return list
	case btf.Union, btf.Array:
		return make([]int64, maxScalars)
	}
	return append(list, at)
}
