// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/program"
)

func (b *body) stmts(list []program.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *body) stmt(s program.Stmt) {
	if s == nil {
		return
	}
	if blk, ok := s.(*program.Block); ok {
		b.stmts(blk.Stmts)
		return
	}
	b.g.pos = s.Pos()
	if b.row != nil && b.fromRow(s) {
		return
	}
	b.writer.at(s.Pos())
	switch s := s.(type) {
	case *program.Eval:
		b.eval(s.X)
	case *program.If:
		b.ifStmt(s)
	case *program.For:
		b.forStmt(s)
	case *program.Foreach:
		b.foreach(s)
	case *program.ForeachBucket:
		b.foreachBucket(s)
	case *program.Break:
		b.line("break;")
	case *program.Continue:
		l := b.loops[len(b.loops)-1]
		if l.next == "" {
			b.line("continue;")
		} else {
			b.used[l.next] = true
			b.line("goto %s;", l.next)
		}
	case *program.Next:
		if b.fn == nil {
			b.used["out"] = true
			b.line("goto out;")
		} else {
			b.leaveLoops()
			b.goNext(b.fn, b.passOn)
		}
	case *program.Return:
		b.returnStmt(s)
	case *program.Delete:
		b.deleteStmt(s)
	case *program.Try:
		b.try(s)
	}
}

// cond removes the parentheses around a condition.
func cond(c string) string {
	if !strings.HasPrefix(c, "(") || !strings.HasSuffix(c, ")") {
		return c
	}
	depth := 0
	for i, ch := range c {
		switch ch {
		case '"', '\'':
			return c
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(c)-1 {
				return c
			}
		}
	}
	return c[1 : len(c)-1]
}

func (b *body) ifStmt(s *program.If) {
	v := b.expr(s.Cond)
	b.open("if (%s) {", cond(v.c))
	b.stmt(s.Then)
	if s.Else != nil {
		b.indent--
		b.open("} else {")
		b.stmt(s.Else)
	}
	b.close("}")
}

func (b *body) forStmt(s *program.For) {
	if s.Init != nil {
		b.eval(s.Init)
	}
	b.open("for (;;) {")
	if s.Cond != nil {
		v := b.expr(s.Cond)
		b.line("if (!%s)", v.c)
		b.line("\tbreak;")
	}
	b.action(b.g.near("loop", s.At))
	next := b.label("next")
	b.loops = append(b.loops, loop{next: next})
	b.stmt(s.Body)
	b.loops = b.loops[:len(b.loops)-1]
	if b.used[next] {
		b.line("%s:;", next)
	}
	if s.Post != nil {
		b.eval(s.Post)
	}
	b.close("}")
}

// leaveLoops ends the walks of the loops around a return.
func (b *body) leaveLoops() {
	for i := len(b.loops) - 1; i >= 0; i-- {
		if l := b.loops[i]; l.walks != "" {
			b.line("gs_map_leave(&%s, %s);", l.walks, l.under)
		}
	}
}

func (b *body) returnStmt(s *program.Return) {
	if s.X == nil {
		b.leaveLoops()
		b.returnActions()
		b.line("return%s;", result(b.fn.Result))
		return
	}
	v := b.expr(s.X)
	c := v.c
	if s.X.Type() == program.String && v.lifetime != constant {
		c = fmt.Sprintf("gs_put(ret, %d, %s)", b.g.bounds.result[b.fn]+1, c)
	}
	for _, l := range b.loops {
		if l.walks != "" {
			t := b.temp()
			b.line("%s %s = %s;", cType(s.X.Type()), t, c)
			c = t
			b.leaveLoops()
			break
		}
	}
	b.returnActions()
	b.line("return %s;", c)
}

func (b *body) deleteStmt(s *program.Delete) {
	switch x := s.X.(type) {
	case *program.GlobalRef:
		array := b.global(x.Global)
		switch {
		case x.Global.Keys != nil:
			b.work(array+".count", b.g.near(fmt.Sprintf("identifier '%s'", x.Global.Name), s.At))
			b.line("gs_map_clear(&%s);", array)
		case x.Global.Type == program.Long:
			b.line("%s = 0;", array)
		case x.Global.Type == program.String:
			b.line("GS_SET(%s, GS_LIT(\"\"));", array)
		default:
			b.line("__builtin_memset(&%s, 0, sizeof(%s));", array, array)
		}
	case *program.Element:
		b.deleteElement(x)
	}
}

// try runs Body with errors going to the catch block, which is reached in no other way.
func (b *body) try(s *program.Try) {
	restore := b.saveWalks(s)
	catch := b.label("catch")
	b.open("{")
	b.errors = append(b.errors, catch)
	b.tries++
	b.stmt(s.Body)
	b.tries--
	b.errors = b.errors[:len(b.errors)-1]
	b.close("}")
	text := b.buffered(func() {
		b.indent++
		for _, r := range restore {
			b.line("%s", r)
		}
		b.line("if (gs_unlikely(is_final(c->error)))")
		b.line("\t%s;", b.fail())
		b.catchMessage(s)
		b.line("c->error = NULL;")
		b.line("c->error_near = NULL;")
		b.stmt(s.Catch)
	})
	if !b.used[catch] {
		return
	}
	b.open("if (0) {")
	b.indent--
	b.line("%s:;", catch)
	b.WriteString(text)
	b.line("}")
}

func (b *body) catchMessage(s *program.Try) {
	v := value{c: "gs_str_of(c->error, MAXSTRINGLEN - 1)", lifetime: volatile}
	switch x := s.Msg.(type) {
	case *program.LocalRef:
		b.setString(x, v)
	case *program.GlobalRef:
		b.setString(x, v)
	}
}

// saveWalks saves the number of active walks over the arrays that Body may iterate over and change, and
// returns the C statements that restore it.
func (b *body) saveWalks(s *program.Try) []string {
	u := b.g.a.code([]program.Stmt{s.Body}, nil, b.g.p).usage
	var restore []string
	for _, gl := range b.g.p.Globals {
		if u[gl]&modifies == 0 || !b.g.deletedInLoops()[gl] || b.g.isSharded(gl) && b.hot {
			continue
		}
		t, array := b.temp(), b.global(gl)
		b.line("gs_u32 %s = %s.walks;", t, array)
		restore = append(restore, fmt.Sprintf("gs_map_leave(&%s, %s);", array, t))
	}
	return restore
}
