// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// A map of Go since 1.24 is a Swiss table (internal/runtime/maps): groups of eight slots, each with a word of
// eight bytes that say which slots are empty. A map of at most eight elements is one group; a larger one is a
// directory of tables of groups. Before, it was buckets of eight, and more that these lead to (runtime/map.go).
// Functions of the tapset library find elements in them.

// maxGoElements is how many elements of a map are shown.
const maxGoElements = 8

// A goMap locates a map's elements.
type goMap struct {
	n         program.Expr                      // how many there are
	slot      func(i int64) program.Expr        // address of the i-th, 0 if it is not found
	key, elem func(slot program.Expr) *location // in it
}

// goMap writes elements of a map.
func (p *rendition) goMap(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	header, d := l.value()
	to := types.Target(l.real())
	if d != nil || types.Kind(l.real()) != btf.Pointer {
		return false
	}
	if levels <= 0 {
		p.text("map[...]")
		return true
	}
	in, _ := l.deref()
	in.user = true
	var m *goMap
	if _, swiss := types.Member(to, "dirPtr"); swiss {
		m = p.swissMap(types, in)
	} else if _, classic := types.Member(to, "buckets"); classic {
		m = p.bucketMap(types, in)
	}
	if m == nil {
		return false
	}
	p.text("map[")
	p.when(header, func(q *rendition) {
		q.list(m.n, maxGoElements, func(q *rendition, i int64) {
			slot := m.slot(i)
			q.when(slot, func(q *rendition) {
				q.show(m.key(slot), levels-1)
				q.text(": ")
				q.show(m.elem(slot), levels-1)
			}, "...")
		})
	}, "")
	p.text("]")
	return true
}

// swissMap reads a map of Go 1.24 and later.
func (p *rendition) swissMap(types *dwarf.Types, header *location) *goMap {
	at := header.at
	n, d := header.number("used")
	dir, also := header.part("dirPtr")
	tables, also1 := header.number("dirLen")
	if d != nil || also != nil || also1 != nil {
		return nil
	}
	first, d := dir.value()
	in, also := dir.deref() // a pointer to a table
	if d != nil || also != nil {
		return nil
	}
	table := types.Target(in.real())
	reference, ok := types.Member(table, "groups")
	data, ok1 := types.Member(reference.Type, "data")
	if !ok || !ok1 {
		return nil
	}
	group := types.Target(types.Strip(data.Type))
	slots, ok := types.Member(group, "slots")
	if !ok {
		return nil
	}
	slot := types.Target(types.Strip(slots.Type))
	key, ok := types.Member(slot, "key")
	elem, ok1 := types.Member(slot, "elem")
	if !ok || !ok1 {
		return nil
	}
	number := func(n int64) program.Expr { return &program.Number{At: at, Value: n} }
	part := func(m btf.Member) func(program.Expr) *location {
		return func(slot program.Expr) *location {
			return &location{types: types, at: at, what: "element", typ: m.Type, addr: slot, pos: m.Offset, user: true}
		}
	}
	return &goMap{n: n, key: part(key), elem: part(elem), slot: func(i int64) program.Expr {
		return p.r.call("__go_swiss_slot", first, tables, number((reference.Offset+data.Offset)/8), number(types.Size(group)),
			number(slots.Offset/8), number(types.Size(slot)), number(i))
	}}
}

// bucketMap reads a map of Go before 1.24.
func (p *rendition) bucketMap(types *dwarf.Types, header *location) *goMap {
	const sameSize = 8 // a flag: it grows to as many buckets as it has
	at := header.at
	n, d := header.number("count")
	buckets, also := header.part("buckets")
	logarithm, also1 := header.number("B")
	flags, also2 := header.number("flags")
	old, also3 := header.number("oldbuckets")
	if d != nil || also != nil || also1 != nil || also2 != nil || also3 != nil {
		return nil
	}
	bucket := types.Target(buckets.real())
	keys, ok := types.Member(bucket, "keys")
	values, ok1 := types.Member(bucket, "values")
	first, d := buckets.value()
	if !ok || !ok1 || d != nil {
		return nil
	}
	number := func(n int64) program.Expr { return &program.Number{At: at, Value: n} }
	binary := func(op string, x, y program.Expr) program.Expr { return &program.Binary{At: at, Op: op, X: x, Y: y} }
	count := binary("<<", number(1), logarithm)
	oldCount := &program.Cond{At: at, If: binary("&", flags, number(sameSize)), Then: count, Else: binary(">>>", count, number(1))}
	part := func(m btf.Member) func(program.Expr) *location {
		typ := types.Target(types.Strip(m.Type))
		return func(slot program.Expr) *location {
			i := binary("&", slot, number(7))
			addr := binary("+", binary("-", slot, i), binary("*", i, number(types.Size(typ))))
			return &location{types: types, at: at, what: "element", typ: typ, addr: addr, pos: m.Offset, user: true}
		}
	}
	return &goMap{n: n, key: part(keys), elem: part(values), slot: func(i int64) program.Expr {
		return p.r.call("__go_bucket_slot", first, count, old, oldCount, number(types.Size(bucket)), number(i))
	}}
}
