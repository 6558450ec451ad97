// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"strconv"
	"strings"

	"gostap/translator/program"
)

// untilNUL is s up to its first NUL, where strings end in C.
func untilNUL(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// cut is s truncated to the length of a string variable.
func (g *gen) cut(s string) string {
	s = untilNUL(s)
	return s[:min(len(s), g.bounds.maxLen)]
}

// slotOf returns the C text of the bytes of a local string.
func (b *body) slotOf(l *program.Local) string {
	v := b.local(l)
	if v.slot < 0 {
		v.slot = b.reserve(b.g.bounds.local[l] + 1)
	}
	return b.at8(v.slot)
}

// concat concatenates all parts of a . b . c in one slot.
func (b *body) concat(e *program.Concat) value {
	list := parts(e)
	vs := b.values(list, false)
	n := b.g.bounds.of(e) + 1
	to := concatTarget{length: b.temp(), at: b.slot(n), size: strconv.Itoa(n), fits: b.g.fit(list)}
	b.line("gs_size %s = 0;", to.length)
	b.appendAll(to, list, vs)
	t := b.temp()
	b.line("struct gs_str %s = { %s, %s };", t, to.at, to.length)
	return temporaryValue(t)
}

// parts are the strings that e concatenates. The result's truncation does not depend on how they are
// grouped.
func parts(e program.Expr) []program.Expr {
	if c, ok := e.(*program.Concat); ok {
		return append(parts(c.X), parts(c.Y)...)
	}
	return []program.Expr{e}
}

// A concatTarget is the destination of a concatenation.
type concatTarget struct {
	at, size string // the bytes
	length   string // the variable with the number of bytes used
	fits     bool   // nothing has to be truncated
}

// fit reports whether the concatenation of list always fits into a string.
func (g *gen) fit(list []program.Expr) bool {
	n := 0
	for _, e := range list {
		n += g.bounds.of(e)
	}
	return n <= g.bounds.maxLen
}

// shortText is the maximal length of literals that are copied inline instead of by a call.
const shortText = 16

// appendAll appends list, whose values are vs, to the content of `to`.
func (b *body) appendAll(to concatTarget, list []program.Expr, vs []value) {
	for i, v := range vs {
		if text, ok := list[i].(*program.Text); ok && to.fits && len(text.Value) <= shortText {
			s := b.g.cut(text.Value)
			b.line("__builtin_memcpy(%s + %s, %s, %d);", to.at, to.length, cString(s), len(s)+1)
			b.line("%s += %d;", to.length, len(s))
		} else {
			b.line("%s = gs_append(%s, %s, %s, %s);", to.length, to.at, to.size, to.length, v.c)
		}
	}
}

func (b *body) assignString(e *program.Assign) value {
	more := b.appended(e)
	switch x := e.X.(type) {
	case *program.Element:
		keys := b.keyTexts(x, b.g.a.effects(e.Y))
		if more != nil {
			vs := b.values(more, false)
			node := b.put(x, keys)
			return b.appendText(node+"->v", more, vs)
		}
		y := b.expr(e.Y)
		node := b.put(x, keys)
		return b.setText(node+"->v", y)
	case *program.GlobalRef:
		if more != nil {
			return b.appendText(b.global(x.Global), more, b.values(more, false))
		}
		return b.setText(b.global(x.Global), b.expr(e.Y))
	case *program.FileValue:
		y := b.expr(e.Y)
		b.line("gs_set_value(c, %s, %s, %s);", y.c, boolText(e.Op == "."), b.g.near("$value", x.At))
		b.check()
		return y
	}
	x := e.X.(*program.LocalRef)
	l := b.local(x.Local)
	if more == nil {
		b.setLocal(x.Local, b.expr(e.Y), e.Y)
		return value{l.name, volatile}
	}
	vs := b.values(more, false)
	to := concatTarget{
		length: b.temp(), at: b.slotOf(x.Local), size: strconv.Itoa(b.g.bounds.local[x.Local] + 1),
		fits: b.g.fit(append([]program.Expr{x}, more...)),
	}
	b.line("gs_size %s = gs_keep(%s, %s, %s);", to.length, to.at, to.size, l.name)
	b.appendAll(to, more, vs)
	b.line("%s = (struct gs_str){ %s, %s };", l.name, to.at, to.length)
	return value{l.name, volatile}
}

// appended returns the strings that e appends to X: Y for X .= Y, and for X = X . Y, which then need
// not copy X. nil if e does something else.
func (b *body) appended(e *program.Assign) []program.Expr {
	list := parts(e.Y)
	if e.Op == "." {
		return list
	}
	if len(list) == 1 || !sameVariable(e.X, list[0]) || b.g.a.effects(e.Y) {
		return nil
	}
	return list[1:]
}

func sameVariable(x, y program.Expr) bool {
	switch x := x.(type) {
	case *program.LocalRef:
		y, ok := y.(*program.LocalRef)
		return ok && x.Local == y.Local
	case *program.GlobalRef:
		y, ok := y.(*program.GlobalRef)
		return ok && x.Global == y.Global
	}
	return false
}

// setText sets a string variable (a GS_TEXT) to y.
func (b *body) setText(text string, y value) value {
	b.line("GS_SET(%s, %s);", text, y.c)
	return value{"GS_STR(" + text + ")", volatile}
}

// appendText appends list, whose values are vs, to a string variable. Its length is updated at the end,
// since it may be among them.
func (b *body) appendText(text string, list []program.Expr, vs []value) value {
	to := concatTarget{length: b.temp(), at: text + ".s", size: "sizeof(" + text + ".s)"}
	b.line("gs_size %s = %s.len;", to.length, text)
	b.appendAll(to, list, vs)
	b.line("%s.len = %s;", text, to.length)
	return value{"GS_STR(" + text + ")", volatile}
}

// setLocal sets a local string. A value in a slot of its own need not be copied, as the slot is not
// written before the local is. This requires that the local is not used by its new value, and that no
// caught error leaves it half written.
func (b *body) setLocal(l *program.Local, y value, e program.Expr) {
	v := b.local(l)
	shares := y.lifetime == temporary && e != nil && b.tries == 0 && !anyExpr(e, func(x program.Expr) bool {
		ref, ok := x.(*program.LocalRef)
		return ok && ref.Local == l
	})
	if y.lifetime == constant || shares {
		b.line("%s = %s;", v.name, y.c)
		return
	}
	b.line("%s = gs_put(%s, %d, %s);", v.name, b.slotOf(l), b.g.bounds.local[l]+1, y.c)
}

// setString sets x, a LocalRef or GlobalRef.
func (b *body) setString(x program.Expr, y value) {
	switch x := x.(type) {
	case *program.LocalRef:
		b.setLocal(x.Local, y, nil)
	case *program.GlobalRef:
		b.setText(b.global(x.Global), y)
	}
}
