// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// goString writes a string of Go, in quotes.
func (p *rendition) goString(l *location) {
	addr, d := l.number("str")
	n, also := l.number("len")
	if !p.opaque(d, also) {
		p.textOf(addr, n)
	}
}

// valueText returns the text of a string of Go or a str of Rust, which are values of their languages; nil if l is none
// or can't be read.
func (r *resolution) valueText(l *location) program.Expr {
	types, ok := l.types.(*dwarf.Types)
	if !ok {
		return nil
	}
	at, length := "str", "len"
	if kind, _, _ := types.Go(l.typ); kind != dwarf.GoString {
		if name := types.Name(l.real()); name != "&str" && name != "&mut str" {
			return nil
		}
		at, length = "data_ptr", "length"
	}
	addr, d := l.number(at)
	n, also := l.number(length)
	if d != nil || also != nil {
		return nil
	}
	return &program.Print{At: r.x.At, Format: "%s", Args: []program.Expr{r.textOf(addr, n)}, Sprint: true}
}

// goSlice writes the first elements of a slice; bytes as text.
func (p *rendition) goSlice(l *location, levels int) {
	types := l.types.(*dwarf.Types)
	_, _, elem := types.Go(l.typ)
	array, d := l.part("array")
	n, also := l.number("len")
	if p.opaque(d, also) {
		return
	}
	addr, d := array.value()
	if p.opaque(d) {
		return
	}
	if t := types.Strip(elem); types.Kind(t) == btf.Int && types.Name(t) == "uint8" {
		p.bytes(addr, n)
		return
	}
	p.elements(n, levels, func(i int64) *location {
		in, _ := array.nth(elem, i)
		return in
	})
}

// A map of Go since 1.24 is a Swiss table (internal/runtime/maps): groups of eight slots, each with a word of
// eight bytes of which the highest bit says that the slot is empty. A map of at most eight elements
// is one group; a larger one is a directory of tables of groups. Before, it was buckets of eight, with eight bytes
// of which those below 5 say that the slot is empty (runtime/map.go).
const (
	goSlots    = 8
	goTopHash  = 5
	swissEmpty = 0x80
)

// goMap writes elements of a map: all if there are up to eight, else those of its first group.
func (p *rendition) goMap(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	_, key, elem := types.Go(l.typ)
	header, d := l.value()
	to := types.Target(l.real())
	if d != nil || types.Kind(l.real()) != btf.Pointer {
		return false
	}
	if levels <= 0 {
		p.text("map[...]")
		return true
	}
	g := &goGroup{at: l.at, types: types, key: key, elem: elem}
	in, _ := l.deref()
	in.user = true
	if _, swiss := types.Member(to, "dirPtr"); swiss {
		g.swiss(in)
	} else if _, classic := types.Member(to, "buckets"); classic {
		g.classic(in)
	}
	if g.first == nil {
		return false
	}
	p.text("map[")
	p.when(header, func(q *rendition) { g.show(q, levels-1) }, "")
	p.text("]")
	return true
}

// A goGroup is a map's slots of which the elements are shown.
type goGroup struct {
	at        syntax.Pos
	types     *dwarf.Types
	key, elem btf.ID
	first     program.Expr // the slots' address
	more      program.Expr // whether the map has others
	keyAt     func(i int64) int64
	elemAt    func(i int64) int64
	full      func(i int64) program.Expr // whether the i-th slot is
}

func (g *goGroup) binary(op string, x program.Expr, n int64) program.Expr {
	return &program.Binary{At: g.at, Op: op, X: x, Y: &program.Number{At: g.at, Value: n}}
}

func (g *goGroup) word(addr program.Expr) program.Expr {
	return &program.Deref{At: g.at, Addr: addr, Size: 8, User: true}
}

// swiss looks at a map of Go 1.24 and later.
func (g *goGroup) swiss(header *location) {
	dir, d := header.part("dirPtr")
	length, also := header.number("dirLen")
	if d != nil || also != nil {
		return
	}
	first, d := dir.value()
	table, also := dir.deref() // a pointer to one
	if d != nil || also != nil {
		return
	}
	groups, d := table.part("groups", "data")
	if d != nil {
		return
	}
	group := g.types.Target(groups.real())
	slots, ok := g.types.Member(group, "slots")
	if !ok {
		return
	}
	slot := g.types.Target(g.types.Strip(slots.Type))
	key, ok := g.types.Member(slot, "key")
	elem, also2 := g.types.Member(slot, "elem")
	data, d := groups.value()
	if !ok || !also2 || d != nil {
		return
	}
	g.key, g.elem = key.Type, elem.Type
	g.first = &program.Cond{At: g.at, If: length, Then: data, Else: first}
	g.more = length
	size := g.types.Size(slot)
	g.keyAt = func(i int64) int64 { return slots.Offset/8 + i*size + key.Offset/8 }
	g.elemAt = func(i int64) int64 { return slots.Offset/8 + i*size + elem.Offset/8 }
	g.full = func(i int64) program.Expr {
		return &program.Unary{At: g.at, Op: "!", X: g.binary("&", g.word(g.first), swissEmpty<<(8*i))}
	}
}

// classic looks at a map of Go before 1.24.
func (g *goGroup) classic(header *location) {
	buckets, d := header.part("buckets")
	logarithm, also := header.number("B")
	if d != nil || also != nil {
		return
	}
	bucket := g.types.Target(buckets.real())
	top, ok := g.types.Member(bucket, "tophash")
	keys, also1 := g.types.Member(bucket, "keys")
	values, also2 := g.types.Member(bucket, "values")
	first, d := buckets.value()
	if !ok || !also1 || !also2 || d != nil {
		return
	}
	g.key, g.elem = g.types.Target(g.types.Strip(keys.Type)), g.types.Target(g.types.Strip(values.Type))
	g.first, g.more = first, logarithm
	keySize, elemSize := g.types.Size(g.key), g.types.Size(g.elem)
	g.keyAt = func(i int64) int64 { return keys.Offset/8 + i*keySize }
	g.elemAt = func(i int64) int64 { return values.Offset/8 + i*elemSize }
	g.full = func(i int64) program.Expr {
		hash := &program.Deref{At: g.at, Addr: program.Plus(g.at, g.first, top.Offset/8+i), Size: 1, User: true}
		return &program.Compare{At: g.at, Op: ">=", X: hash, Y: &program.Number{At: g.at, Value: goTopHash}}
	}
}

// show writes key: value for each slot that is full.
func (g *goGroup) show(p *rendition, levels int) {
	at := func(typ btf.ID, offset int64) *location {
		return &location{types: g.types, at: g.at, what: "element", typ: typ, addr: g.first, pos: 8 * offset, user: true}
	}
	var before program.Expr // whether an element has been shown
	for i := int64(0); i < goSlots && !p.full; i++ {
		full := g.full(i)
		p.when(full, func(q *rendition) {
			if before != nil {
				q.when(before, func(q *rendition) { q.text(", ") }, "")
			}
			q.show(at(g.key, g.keyAt(i)), levels)
			q.text(": ")
			q.show(at(g.elem, g.elemAt(i)), levels)
		}, "")
		if before != nil {
			full = &program.Logical{At: g.at, Op: "||", X: before, Y: full}
		}
		before = full
	}
	p.when(g.more, func(q *rendition) {
		if before != nil {
			q.when(before, func(q *rendition) { q.text(", ") }, "")
		}
		q.text("...")
	}, "")
}
