// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/translator/program"
)

// A value is the C text of an expression's value. It may be used once.
type value struct {
	c        string
	lifetime lifetime
}

// A lifetime tells how long a value is valid.
type lifetime uint8

const (
	constant  lifetime = iota // for ever
	temporary                 // until its expression is evaluated again: a C variable, or bytes in its own slot
	volatile                  // until some variable changes
)

func temporaryValue(c string, args ...any) value {
	if len(args) > 0 {
		c = fmt.Sprintf(c, args...)
	}
	return value{c, temporary}
}

// eval evaluates e for its effects.
func (b *body) eval(e program.Expr) {
	switch e := e.(type) {
	case *program.Assign:
		b.assign(e, false)
	case *program.IncDec:
		b.incDec(e, false)
	default:
		if v := b.expr(e); v.c != "" {
			b.line("(void)%s;", v.c)
		}
	}
}

// materialized returns v as a value that stays valid, if variables may change before it is used
// (effects).
func (b *body) materialized(v value, e program.Expr, effects bool) value {
	if v.lifetime != volatile || !effects {
		return v
	}
	t := b.temp()
	if e.Type() == program.String {
		n := b.g.bounds.of(e) + 1
		b.line("struct gs_str %s = gs_put(%s, %d, %s);", t, b.slot(n), n, v.c)
	} else {
		b.line("gs_s64 %s = %s;", t, v.c)
	}
	return temporaryValue(t)
}

// values evaluates es from left to right; all results are valid at the end. effects is set if variables
// may change before they are used.
func (b *body) values(es []program.Expr, effects bool) []value {
	vs := make([]value, len(es))
	for i, e := range es {
		later := effects && e.Type() == program.String
		for _, x := range es[i+1:] {
			later = later || b.g.a.effects(x)
		}
		vs[i] = b.materialized(b.expr(e), e, later)
	}
	return vs
}

// lifetimeOf is the lifetime of a value that is computed from vs.
func lifetimeOf(vs ...value) lifetime {
	k := constant
	for _, v := range vs {
		k = max(k, v.lifetime)
	}
	return k
}

// expr writes the statements that compute e and returns its value, which is "" for Void.
func (b *body) expr(e program.Expr) value {
	switch e := e.(type) {
	case *program.Number:
		return value{number(e.Value), constant}
	case *program.Text:
		return value{"GS_LIT(" + cString(b.g.cut(e.Value)) + ")", constant}
	case *program.LocalRef:
		return value{b.local(e.Local).name, volatile}
	case *program.GlobalRef:
		if e.Global.Type == program.String {
			return value{"GS_STR(" + b.global(e.Global) + ")", volatile}
		}
		return value{b.global(e.Global), volatile}
	case *program.Element:
		return b.element(e)
	case *program.Call:
		return b.call(e)
	case *program.Unary:
		v := b.expr(e.X)
		return value{fmt.Sprintf("(%s%s)", e.Op, v.c), v.lifetime}
	case *program.Binary:
		vs := b.values([]program.Expr{e.X, e.Y}, false)
		return b.binary(e.Op, vs[0], vs[1], e.Y, b.g.near(fmt.Sprintf("operator '%s'", e.Op), e.At))
	case *program.Compare:
		return b.compare(e)
	case *program.Logical:
		return b.logical(e)
	case *program.Concat:
		return b.concat(e)
	case *program.Cond:
		return b.cond(e)
	case *program.Assign:
		return b.assign(e, true)
	case *program.IncDec:
		return b.incDec(e, true)
	case *program.Aggregate:
		return b.aggregate(e)
	case *program.StatRead:
		return b.statRead(e)
	case *program.Bucket:
		return b.bucket(e)
	case *program.In:
		return b.in(e)
	case *program.Match:
		return b.match(e)
	case *program.Print:
		return b.print(e)
	case *program.PrintHist:
		return b.printHist(e)
	case *program.Embedded:
		return b.embedded(e)
	case *program.Cast:
		v := b.expr(e.X)
		return value{fmt.Sprintf("((gs_s64)(%s)%s)", intType(e.Size, e.Signed), v.c), v.lifetime}
	}
	return b.contextual(e)
}

func intType(size int, signed bool) string {
	if signed {
		return fmt.Sprintf("gs_s%d", 8*size)
	}
	return fmt.Sprintf("gs_u%d", 8*size)
}

// binary combines two Longs.
func (b *body) binary(op string, x, y value, ye program.Expr, near string) value {
	k := lifetimeOf(x, y)
	switch op {
	case "<<":
		return value{fmt.Sprintf("gs_shl(%s, %s)", x.c, y.c), k}
	case ">>":
		return value{fmt.Sprintf("gs_shr(%s, %s)", x.c, y.c), k}
	case ">>>":
		return value{fmt.Sprintf("gs_ushr(%s, %s)", x.c, y.c), k}
	case "/", "%", "/u", "%u":
		if n, ok := ye.(*program.Number); ok && n.Value != 0 && n.Value != -1 && len(op) == 1 {
			break
		}
		fn := map[string]string{"/": "gs_div", "%": "gs_mod", "/u": "gs_udiv", "%u": "gs_umod"}[op]
		// Testing the divisor instead of c->error takes only one branch.
		t, by := b.temp(), b.temp()
		b.line("gs_s64 %s = %s;", by, y.c)
		b.line("gs_s64 %s = %s(c, %s, %s, %s);", t, fn, x.c, by, near)
		b.line("if (gs_unlikely(!%s))", by)
		b.line("\t%s;", b.fail())
		return temporaryValue(t)
	}
	return value{fmt.Sprintf("(%s %s %s)", x.c, op, y.c), k}
}

func (b *body) compare(e *program.Compare) value {
	vs := b.values([]program.Expr{e.X, e.Y}, false)
	x, y, k := vs[0].c, vs[1].c, lifetimeOf(vs...)
	if e.X.Type() != program.String {
		return value{fmt.Sprintf("(%s %s %s)", x, e.Op, y), k}
	}
	switch e.Op {
	case "==":
		return value{fmt.Sprintf("gs_str_eq(%s, %s)", x, y), k}
	case "!=":
		return value{fmt.Sprintf("!gs_str_eq(%s, %s)", x, y), k}
	}
	return value{fmt.Sprintf("(gs_str_cmp(%s, %s) %s 0)", x, y, e.Op), k}
}

// logical uses C's && or || if the right side is a single C expression.
func (b *body) logical(e *program.Logical) value {
	x := b.expr(e.X)
	var y value
	text := b.buffered(func() {
		b.indent++
		y = b.expr(e.Y)
	})
	if text == "" {
		return value{fmt.Sprintf("(%s %s %s)", x.c, e.Op, y.c), lifetimeOf(x, y)}
	}
	t := b.temp()
	b.line("gs_s64 %s = %s != 0;", t, x.c)
	if e.Op == "&&" {
		b.open("if (%s) {", t)
	} else {
		b.open("if (!%s) {", t)
	}
	b.WriteString(text)
	b.line("%s = %s != 0;", t, y.c)
	b.close("}")
	return temporaryValue(t)
}

func (b *body) cond(e *program.Cond) value {
	x := b.expr(e.If)
	var then, other value
	thenText := b.buffered(func() {
		b.indent++
		then = b.expr(e.Then)
	})
	otherText := b.buffered(func() {
		b.indent++
		other = b.expr(e.Else)
	})
	if thenText == "" && otherText == "" {
		return value{fmt.Sprintf("(%s ? %s : %s)", x.c, then.c, other.c), max(lifetimeOf(x, then, other), temporary)}
	}
	t := b.temp()
	b.line("%s %s;", cType(e.Type()), t)
	b.open("if (%s) {", cond(x.c))
	b.WriteString(thenText)
	b.line("%s = %s;", t, then.c)
	b.indent--
	b.open("} else {")
	b.WriteString(otherText)
	b.line("%s = %s;", t, other.c)
	b.close("}")
	if e.Type() == program.String {
		return value{t, max(lifetimeOf(then, other), temporary)}
	}
	return temporaryValue(t)
}
