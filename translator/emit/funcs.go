// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/internal/lazyregexp"
	"gostap/translator/program"
)

func callsNext(fn *program.Function) bool {
	return fn.Code != nil && strings.Contains(fn.Code.Text, "STAP_NEXT")
}

// emitFunction writes a script function, or a wrapper of embedded C.
func (g *gen) emitFunction(f *cFunc) {
	fn := f.fn
	g.pos = fn.At
	if fn.Code != nil {
		g.protos.line("extern %s %s(%s);", cType(fn.Result), embeddedName(fn), params(fn, false, paramName))
		if direct(fn) {
			return
		}
	}
	b := g.newBody(f, f.hot)
	b.counts = g.counts(g.a.fns[fn])
	isParam := map[*program.Local]bool{}
	for _, p := range fn.Params {
		isParam[p] = true
		b.local(p)
	}
	head := fmt.Sprintf("static %s %s(%s)", cType(fn.Result), f.name, params(fn, true, func(p *program.Local) string { return b.local(p).name }))
	if fn.Code != nil {
		b.embeddedThenNext(fn)
	} else {
		b.keepArguments()
		b.stmts(fn.Body)
	}
	g.protos.line("%s;", head)
	w := &g.bodies
	w.line("")
	w.at(fn.At)
	w.line("%s", head)
	w.line("{")
	w.indent++
	b.declare(w, isParam)
	w.indent--
	w.Write(b.writer.Bytes())
	if b.used["out"] {
		w.line("out:%s", unused)
	}
	if b.counts {
		w.line("\tc->actions = actions;")
	}
	w.line("\treturn%s;", result(fn.Result))
	w.line("}")
}

// embeddedThenNext calls embedded C that may use STAP_NEXT.
func (b *body) embeddedThenNext(fn *program.Function) {
	var args []string
	for _, p := range fn.Params {
		args = append(args, b.local(p).name)
	}
	call := callText(embeddedName(fn), "", fn, "ret", args)
	if fn.Result == program.Void {
		b.line("%s;", call)
	} else {
		b.line("%s r = %s;", cType(fn.Result), call)
	}
	b.open("if (c->next) {")
	b.line("c->next = 0;")
	b.goNext(fn, args)
	b.close("}")
	if fn.Result != program.Void {
		b.line("return r;")
	}
}

// keepArguments copies the arguments that `next` has to pass on and that the body may change.
func (b *body) keepArguments() {
	nexts := false
	assigned := map[*program.Local]bool{}
	v := visitor{
		expr: func(e program.Expr, _ bool) {
			var x program.Expr
			switch e := e.(type) {
			case *program.Assign:
				x = e.X
			case *program.IncDec:
				x = e.X
			}
			if ref, ok := x.(*program.LocalRef); ok {
				assigned[ref.Local] = true
			}
		},
		enter: func(s program.Stmt) {
			switch s := s.(type) {
			case *program.Next:
				nexts = true
			case *program.Foreach:
				for _, k := range s.Keys {
					assigned[k] = true
				}
				assigned[s.Value] = true
			case *program.Try:
				if ref, ok := s.Msg.(*program.LocalRef); ok {
					assigned[ref.Local] = true
				}
			}
		},
	}
	v.stmts(b.fn.Body)
	b.passOn = nil
	for _, p := range b.fn.Params {
		name := b.local(p).name
		if nexts && assigned[p] {
			b.line("%s a_%s = %s;", cType(p.Type), name, name)
			name = "a_" + name
		}
		b.passOn = append(b.passOn, name)
	}
}

// goNext leaves fn by a call of the next overload.
func (b *body) goNext(fn *program.Function, args []string) {
	b.returnActions()
	if fn.Next == nil {
		b.line("gs_raise(c, \"all functions exhausted\", %s);", b.g.near(fmt.Sprintf("identifier '%s'", fn.Script), fn.At))
		b.line("return%s;", result(fn.Result))
		return
	}
	to := b.g.call(fn.Next, b.hot)
	b.f.calls = append(b.f.calls, to)
	name, frame := to.name, b.frameAfter()
	if direct(fn.Next) {
		name, frame = embeddedName(fn.Next), ""
	}
	call := callText(name, frame, fn.Next, "ret", args)
	if fn.Result == program.Void {
		b.line("%s;", call)
		b.line("return;")
	} else {
		b.line("return %s;", call)
	}
}

// callText returns the C text of a call; frame is "" for embedded C.
func callText(name, frame string, fn *program.Function, ret string, args []string) string {
	list := []string{"c"}
	if frame != "" {
		list = append(list, frame)
	}
	if fn.Result == program.String {
		list = append(list, ret)
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(append(list, args...), ", "))
}

// call writes a call and returns its value, "" for Void.
func (b *body) call(e *program.Call) value {
	if v, ok := b.inlined(e); ok {
		return v
	}
	fn := e.Fn
	if b.g.tails[fn] {
		b.callTail(e)
		return value{}
	}
	args := b.values(e.Args, b.callTouches(fn))
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.c
	}
	to := b.g.call(fn, b.hot)
	b.f.calls = append(b.f.calls, to)
	name, frame := to.name, ""
	size := b.g.bounds.result[fn] + 1
	if direct(fn) {
		name, size = embeddedName(fn), b.g.bounds.maxLen+1
	} else {
		frame = b.frameAfter()
		if callsNext(fn) || fn.Next != nil {
			size = b.g.bounds.maxLen + 1
		}
	}
	ret := ""
	if fn.Result == program.String {
		ret = b.slot(size)
	}
	if fn.Code != nil && strings.Contains(fn.Code.Text, "/* myproc-unprivileged */") {
		b.requireMyproc(b.g.near(fmt.Sprintf("identifier '%s'", fn.Script), e.At))
	}
	counted := b.g.counted(fn)
	where := b.g.near(fmt.Sprintf("identifier '%s'", fn.Script), e.At)
	if counted {
		b.action(where)
		b.line("if (!gs_enter(c, %d, too_deep, %s))", b.g.nesting, where)
		b.line("\t%s;", b.fail())
	}
	text := callText(name, frame, fn, ret, texts)
	after := b.passActions(fn)
	t := ""
	if fn.Result == program.Void {
		b.line("%s;", text)
	} else {
		t = b.temp()
		b.line("%s %s = %s;", cType(fn.Result), t, text)
	}
	after()
	if counted {
		b.line("c->nesting--;")
	}
	b.checkCall(fn, where)
	return value{c: t, lifetime: temporary}
}

// checkCall writes a test for an error raised by fn.
func (b *body) checkCall(fn *program.Function, where string) {
	if fn.Code == nil {
		b.check()
		return
	}
	if !b.g.mayRaise(fn) {
		return
	}
	b.open("if (gs_unlikely(c->error)) {")
	b.line("gs_near(c, %s);", where)
	b.line("%s;", b.fail())
	b.close("}")
}

// gsStr matches the runtime's functions that raise no error.
var gsStr = lazyregexp.MustCompile(`\bgs_(str|str_of|strlcpy|put|likely|unlikely)\b`)

// mayRaise is false for embedded C of the library that calls nothing which could raise an error.
func (g *gen) mayRaise(fn *program.Function) bool {
	raises, known := g.raises[fn]
	if !known {
		raises = couldRaise(fn)
		g.raises[fn] = raises
	}
	return raises
}

func couldRaise(fn *program.Function) bool {
	if fn.Next != nil && callsNext(fn) || !fn.Builtin {
		return true
	}
	for _, word := range []string{"STAP_ERROR", "STAP_NEXT", "CONTEXT", "gs_", "error", "deref"} {
		if strings.Contains(gsStr().ReplaceAllString(fn.Code.Text, ""), word) {
			return true
		}
	}
	return false
}

// counted reports whether calls of fn count as actions and as nested: if recursion or the depth of
// calls can exceed the limit, or if there are too many calls.
func (g *gen) counted(fn *program.Function) bool {
	return !g.tails[fn] && (g.a.recursive[fn] || int64(g.a.depth) > g.nesting || g.a.costs[fn] > maxUncounted)
}

// callTouches reports whether a call of fn may change variables that its arguments point into.
func (b *body) callTouches(fn *program.Function) bool {
	for _, a := range b.g.a.fns[fn].usage {
		if a.exclusive() {
			return true
		}
	}
	return false
}
