// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
)

// maxOwners is how many smart pointers are followed within each other.
const maxOwners = 4

// owner writes the target of a std::unique_ptr or std::shared_ptr, as &VALUE, or nullptr.
func (p *rendition) owner(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	name := types.Name(l.real())
	var pointer *location
	switch {
	case strings.HasPrefix(name, "unique_ptr<"):
		pointer = uniquePointer(types, l)
	case strings.HasPrefix(name, "shared_ptr<"):
		pointer, _ = l.part("_M_ptr")
	}
	return pointer != nil && types.Kind(pointer.real()) == btf.Pointer && p.owned(pointer, levels)
}

// owned writes the value that a smart pointer points to as &VALUE, or nullptr, which Rust does not have. Of a value with Rust's reference
// counts, the pointer is to the counts, and the value is behind them.
func (p *rendition) owned(pointer *location, levels int) bool {
	addr, d := pointer.value()
	in, also := pointer.deref()
	if d != nil || also != nil {
		return false
	}
	in.user = true
	if name := in.types.Name(in.real()); strings.HasPrefix(name, "RcBox<") || strings.HasPrefix(name, "RcInner<") {
		in, d = in.part("value")
	} else if strings.HasPrefix(name, "ArcInner<") {
		in, d = in.part("data")
	}
	if d != nil {
		return false
	}
	p.when(addr, func(q *rendition) {
		q.text("&")
		q.owners = p.owners + 1
		switch {
		case in.types.Kind(in.real()) == btf.Void:
			q.arg("%p", addr)
		case q.owners > maxOwners:
			q.text("{...}")
		default:
			q.readable(func(q *rendition) { q.show(in, levels) })
		}
	}, "nullptr")
	return true
}

// uniquePointer returns the location of the pointer in a std::unique_ptr. libstdc++ keeps it and the
// deleter, which may be empty, in a std::tuple: _M_t._M_t derives from one _Head_base for each of them;
// that of the pointer is _Head_base<0, …>.
func uniquePointer(types *dwarf.Types, l *location) *location {
	tuple, d := l.part("_M_t", "_M_t")
	if d != nil { // before GCC 7 there was one struct less
		if tuple, d = l.part("_M_t"); d != nil {
			return nil
		}
	}
	for range 8 {
		members := types.Members(tuple.real())
		if types.Kind(tuple.real()) == btf.Pointer {
			return tuple
		}
		next := -1
		for i, m := range members {
			if strings.HasPrefix(types.Name(types.Strip(m.Type)), "_Head_base<0") {
				next = i
			}
		}
		if next < 0 {
			next = 0
		}
		if len(members) == 0 {
			return nil
		}
		in := *tuple
		in.typ, in.pos = members[next].Type, tuple.pos+members[next].Offset
		tuple = &in
	}
	return nil
}

// entry writes a std::pair that is a map's element as KEY: VALUE.
func (p *rendition) entry(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	if !strings.HasPrefix(types.Name(l.real()), "pair<") || types.Kind(types.TypeParam(l.real(), "_T1")) != btf.Const {
		return false
	}
	key, d := l.part("first")
	value, also := l.part("second")
	if d != nil || also != nil {
		return false
	}
	p.show(key, levels)
	p.text(": ")
	p.show(value, levels)
	return true
}
