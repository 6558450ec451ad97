// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-delve/delve/pkg/dwarf/op"
)

// spell writes an expression in the syntax of scripts.
func spell(x *Expr) string {
	switch x.Op {
	case OpConst:
		return fmt.Sprint(x.N)
	case OpAddress:
		return fmt.Sprintf("&%#x", x.N)
	case OpRegister:
		return fmt.Sprintf("r%d", x.N)
	case OpLoad:
		return fmt.Sprintf("*%d(%s)", x.N, spell(x.X))
	case OpCast:
		return fmt.Sprintf("cast%d(%s)", x.N, spell(x.X))
	case OpThread:
		return fmt.Sprintf("thread(%s)", spell(x.X))
	case OpCond:
		return fmt.Sprintf("(%s ? %s : %s)", spell(x.X), spell(x.Y), spell(x.Z))
	}
	return fmt.Sprintf("(%s%s%s)", spell(x.X), x.Name, spell(x.Y))
}

// located returns the locations of an expression as text, or its error.
func located(expr ...byte) string {
	m := exprBuilder{u: &unit{header: header{version: 5, addrSize: 8}, f: &File{}}}
	loc, err := m.location(expr)
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, p := range loc.Pieces {
		text := []string{"nowhere", "at ", fmt.Sprintf("r%d", p.N), "", fmt.Sprintf("%x", p.Bytes)}[p.Kind]
		if p.X != nil {
			text += spell(p.X)
		}
		if p.Bits != 0 {
			text += fmt.Sprintf(":%d", p.Bits)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// Operations in the tests' expressions.
const (
	dup, drop, over, swap, lt, bra, skip, lit0, reg0, breg0, piece, stackValue, minus, plusUconst = 0x12, 0x13, 0x14, 0x16, 0x2d, 0x28, 0x2f, 0x30, 0x50, 0x70, 0x93, 0x9f, 0x1c, 0x23
)

var expressions = []struct {
	expr []byte
	want string
}{
	{[]byte{breg0 + 5, 8}, "at (r5+8)"},
	{[]byte{breg0 + 5, 0, 0x19, stackValue}, "((r5<0) ? (0-r5) : r5)"},
	// As compilers write min(rdi, 15).
	{[]byte{breg0 + 5, 0, lit0 + 15, over, over, lt, bra, 1, 0, swap, drop, stackValue}, "((r5<15) ? r5 : 15)"},
	{[]byte{lit0 + 1, skip, 1, 0, lit0 + 2, stackValue}, "1"},
	{[]byte{lit0 + 1, lit0, bra, 1, 0, lit0 + 2, stackValue}, "2"},
	{[]byte{lit0 + 1, lit0 + 1, bra, 1, 0, lit0 + 2, stackValue}, "1"},
	{[]byte{breg0, 0, bra, 4, 0, lit0 + 1, skip, 1, 0, lit0 + 2}, "at (r0 ? 2 : 1)"},
	// A condition in a branch of another.
	{[]byte{breg0, 0, bra, 13, 0, breg0 + 1, 0, bra, 4, 0, lit0 + 1, skip, 1, 0, lit0 + 2, skip, 1, 0, lit0 + 3}, "at (r0 ? 3 : (r1 ? 2 : 1))"},
	// In the first of two pieces.
	{[]byte{breg0, 0, bra, 4, 0, lit0 + 1, skip, 1, 0, lit0 + 2, stackValue, piece, 4, reg0 + 3, piece, 4}, "(r0 ? 2 : 1):32 r3:32"},
	// Registers are values; if both branches are the same register, it stays one.
	{[]byte{breg0, 0, bra, 4, 0, reg0 + 1, skip, 1, 0, reg0 + 2}, "(r0 ? r2 : r1)"},
	{[]byte{breg0, 0, bra, 4, 0, reg0 + 1, skip, 1, 0, reg0 + 1}, "r1"},
	{[]byte{breg0, 0, bra, 4, 0, reg0 + 1, skip, 2, 0, breg0 + 2, 0}, errPlace.Error()},
	// A loop of three iterations, and loops with an unknown number of iterations.
	{[]byte{breg0, 0, lit0 + 3, swap, plusUconst, 1, swap, lit0 + 1, minus, dup, bra, 0xf6, 0xff, drop, stackValue}, "(r0+3)"},
	{[]byte{breg0, 0, lit0 + 1, minus, dup, bra, 0xfa, 0xff, stackValue}, errLoop.Error()},
	{[]byte{breg0, 0, dup, bra, 3, 0, skip, 0xf9, 0xff, stackValue}, errLong.Error()},
	{[]byte{skip, 0xfd, 0xff}, errLong.Error()},
	{[]byte{skip, 0xfc, 0xff}, "DWARF is damaged"},
	{[]byte{skip, 9, 0}, "DWARF is damaged"},
	{[]byte{lit0, skip, 9}, "DWARF is damaged"},
	{[]byte{bra, 0, 0}, "DWARF is damaged"},
	{[]byte{drop, stackValue}, "DWARF is damaged"},
}

func TestExpressions(t *testing.T) {
	for _, c := range expressions {
		if got := located(c.expr...); got != c.want {
			t.Errorf("% x: %s, want %s", c.expr, got, c.want)
		}
	}
}

// TestUnsigned: numbers of 64 bits are compared as the type that they are converted to.
func TestUnsigned(t *testing.T) {
	r0 := &Expr{Op: OpRegister}
	for _, c := range []struct {
		x    *Expr
		op   byte
		want string
	}{
		{r0, lt, "(r0<5)"},
		{typed(r0, 8, true), lt, "(r0<5)"},
		{typed(r0, 4, false), lt, "(cast4(r0)<5)"},
		{typed(r0, 8, false), lt, "((cast8(r0)^-9223372036854775808)<-9223372036854775803)"},
		{add(typed(r0, 8, false), 1), lt, "(((cast8(r0)+1)^-9223372036854775808)<-9223372036854775803)"},
		{typed(typed(r0, 8, false), 8, true), lt, "(cast8(cast8(r0))<5)"},
		{typed(r0, 8, false), 0x1b, "(cast8(r0)/u5)"},
		{r0, 0x1b, "(r0/5)"},
		{typed(r0, 8, false), minus, "(cast8(r0)-5)"},
	} {
		m := exprBuilder{u: &unit{}, stack: []*Expr{c.x, {N: 5}}}
		got := ""
		if err := m.step(op.Opcode(c.op), &buf{}); err != nil {
			got = err.Error()
		} else {
			got = spell(m.stack[0])
		}
		if got != c.want {
			t.Errorf("%s %#x 5: %s, want %s", spell(c.x), c.op, got, c.want)
		}
	}
}

// TestLongExpressions: an expression that would grow without bounds is an error.
func TestLongExpressions(t *testing.T) {
	const plus, nop = 0x22, 0x96
	doubled, branched := []byte{breg0, 0}, []byte{lit0}
	for range 300 {
		doubled = append(doubled, 0x12, 0x22) // dup, plus
		branched = append(branched, breg0, 0, bra, 0, 0)
	}
	for name, expr := range map[string][]byte{"doubled": doubled, "branched": branched, "long": bytes.Repeat([]byte{nop}, 1<<20)} {
		if got := located(expr...); got != errLong.Error() {
			t.Errorf("%s: %s", name, got)
		}
	}
}
