// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// maxNamed bounds the constants of an enumeration that is shown by their names.
const maxNamed = 256

// named writes x, a number at l, as the name of an enumeration's constant or as a char of Rust, and reports whether it is one.
func (p *rendition) named(types *dwarf.Types, l *location, x program.Expr) bool {
	if list := types.Enumerators(l.real()); len(list) > 0 && len(list) <= maxNamed {
		p.arg("%s", nameOf(l.at, list, x))
		return true
	}
	if !types.IsCharacter(l.real()) {
		return false
	}
	at := l.at
	number := func(n int64) program.Expr { return &program.Number{At: at, Value: n} }
	binary := func(op string, x, y program.Expr) program.Expr { return &program.Binary{At: at, Op: op, X: x, Y: y} }
	text := func(format string, args ...program.Expr) program.Expr {
		return &program.Print{At: at, Format: format, Args: append([]program.Expr{x}, args...), Sprint: true}
	}
	// utf8 returns the first byte, which has the bits lead, and n more.
	utf8 := func(n, lead int64) []program.Expr {
		list := []program.Expr{binary("|", binary(">>>", x, number(6*n)), number(lead))}
		for i := n - 1; i >= 0; i-- {
			list = append(list, binary("|", binary("&", binary(">>>", x, number(6*i)), number(0x3f)), number(0x80)))
		}
		return list
	}
	whole := text("%u") // of control characters and invalid ones
	for _, part := range []struct {
		limit int64
		text  program.Expr
	}{
		{0x110000, text("%u '%c%c%c%c'", utf8(3, 0xf0)...)},
		{0x10000, text("%u '%c%c%c'", utf8(2, 0xe0)...)},
		{0x800, text("%u '%c%c'", utf8(1, 0xc0)...)},
		{0xa0, text("%u")},
		{0x7f, text("%u '%c'", x)},
		{0x20, text("%u")},
	} {
		whole = &program.Cond{At: at, If: &program.Compare{At: at, Op: "<", X: x, Y: number(part.limit)}, Then: part.text, Else: whole}
	}
	p.arg("%s", whole)
	return true
}
