// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// goString writes a string of Go, in quotes.
func (p *rendition) goString(l *location) {
	addr, d := l.number("str")
	n, also := l.number("len")
	if !p.opaque(d, also) {
		p.textOf(addr, n)
	}
}

// valueText returns the text of a Go string or a Rust str, which scripts see as strings; nil if l is neither, or can't be
// read.
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
