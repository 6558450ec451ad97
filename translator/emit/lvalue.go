// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/translator/program"
)

// A longLvalue is an lvalue of type Long, with the C text to read and write it.
type longLvalue struct {
	c     string                // its C text as an lvalue; "" if it has none
	read  func() string         // returns its value
	write func(c string) string // returns the C statement that sets it to c
	raise bool                  // writing may raise an error
}

func lvalue(c string) longLvalue {
	return longLvalue{
		c:     c,
		read:  func() string { return c },
		write: func(v string) string { return fmt.Sprintf("%s = %s;", c, v) },
	}
}

// longLvalue evaluates the operands of the lvalue x, then calls after, which evaluates the new value;
// effects is set if that may change variables.
func (b *body) longLvalue(x program.Expr, effects bool, after func()) longLvalue {
	switch x := x.(type) {
	case *program.LocalRef:
		after()
		return lvalue(b.local(x.Local).name)
	case *program.GlobalRef:
		after()
		return lvalue(b.global(x.Global))
	case *program.Element:
		keys := b.keyTexts(x, effects)
		after()
		return lvalue(b.put(x, keys) + "->v")
	case *program.Deref:
		addr := b.temp()
		b.line("gs_u64 %s = %s;", addr, b.expr(x.Addr).c)
		after()
		user := boolText(x.User)
		where := b.g.near("a pointer", x.At)
		if x.Bits > 0 {
			return b.bitField(x, addr)
		}
		return longLvalue{
			read: func() string {
				t := b.temp()
				b.line("gs_s64 %s = (%s)gs_load(c, %s, %d, %s, %s);", t, intType(x.Size, x.Signed), addr, x.Size, user, where)
				b.check()
				return t
			},
			write: func(v string) string {
				return fmt.Sprintf("gs_store(c, %s, %s, %d, %s, %s);", addr, v, x.Size, user, where)
			},
			raise: true,
		}
	case *program.Cast:
		return b.longLvalue(x.X, effects, after)
	}
	after()
	reg := b.register(x)
	return longLvalue{
		read:  func() string { return "(gs_s64)" + reg },
		write: func(v string) string { return fmt.Sprintf("%s = %s;", reg, v) },
	}
}

// bitField is the lvalue of a bit field in the integer at addr; writing keeps the other bits.
func (b *body) bitField(x *program.Deref, addr string) longLvalue {
	user, where := boolText(x.User), b.g.near("a pointer", x.At)
	around := func() string {
		t := b.temp()
		b.line("gs_u64 %s = gs_load(c, %s, %d, %s, %s);", t, addr, x.Size, user, where)
		b.check()
		return t
	}
	return longLvalue{
		read: func() string {
			t := b.temp()
			kind := "gs_u64"
			if x.Signed {
				kind = "gs_s64"
			}
			b.line("gs_s64 %s = (%s)(%s << %d) >> %d;", t, kind, around(), 64-x.Low-x.Bits, 64-x.Bits)
			return t
		},
		write: func(v string) string {
			mask := fmt.Sprintf("%#xull", (uint64(1)<<x.Bits-1)<<x.Low)
			return fmt.Sprintf("gs_store(c, %s, (%s & ~%s) | ((gs_u64)(%s) << %d & %s), %d, %s, %s);",
				addr, around(), mask, v, x.Low, mask, x.Size, user, where)
		},
		raise: true,
	}
}

func boolText(v bool) string {
	if v {
		return "1"
	}
	return "0"
}

func (b *body) assign(e *program.Assign, used bool) value {
	if e.X.Type() == program.String {
		return b.assignString(e)
	}
	var y value
	p := b.longLvalue(e.X, b.g.a.effects(e.Y), func() {
		y = b.expr(e.Y)
		if y.lifetime == volatile && used {
			y = b.materialized(y, e.Y, true)
		}
	})
	v := y.c
	if e.Op != "" {
		if p.c != "" && !used && simpleOp(e.Op) {
			b.line("%s %s= %s;", p.c, e.Op, v)
			return value{}
		}
		v = b.binary(e.Op, value{p.read(), volatile}, y, e.Y, b.g.near(fmt.Sprintf("operator '%s='", e.Op), e.At)).c
	}
	if used {
		t := b.temp()
		b.line("gs_s64 %s = %s;", t, v)
		v = t
	}
	b.line("%s", p.write(v))
	if p.raise {
		b.check()
	}
	if !used {
		return value{}
	}
	return temporaryValue(v)
}

// simpleOp reports whether C's op= has the script's meaning of op.
func simpleOp(op string) bool {
	switch op {
	case "+", "-", "*", "&", "|", "^":
		return true
	}
	return false
}

func (b *body) incDec(e *program.IncDec, used bool) value {
	p := b.longLvalue(e.X, false, func() {})
	op := "+"
	if e.Delta < 0 {
		op = "-"
	}
	if p.c != "" && !used {
		b.line("%s%s%s;", p.c, op, op)
		return value{}
	}
	t := b.temp()
	b.line("gs_s64 %s = %s;", t, p.read())
	if !e.Post {
		b.line("%s = %s %s 1;", t, t, op)
		b.line("%s", p.write(t))
	} else {
		b.line("%s", p.write(fmt.Sprintf("%s %s 1", t, op)))
	}
	if p.raise {
		b.check()
	}
	return temporaryValue(t)
}
