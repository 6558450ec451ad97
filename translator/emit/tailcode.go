// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/program"
)

// Locks are taken as late as possible: by a tail, if the code before it uses no globals that need one.

// leavesLocks reports whether body, behind the condition cond, leaves the locks to the tail at its end.
func (g *gen) leavesLocks(body []program.Stmt, cond program.Expr) bool {
	if len(body) == 0 {
		return false
	}
	own, last := body[:len(body)-1], body[len(body)-1]
	if eval, ok := last.(*program.Eval); !ok || !g.isTailCall(eval.X) {
		return false
	}
	for gl := range g.a.code(own, []program.Expr{cond}, g.p).usage {
		if g.groupOf[gl] != nil {
			return false
		}
	}
	return true
}

func (g *gen) isTailCall(e program.Expr) bool {
	call, ok := e.(*program.Call)
	return ok && g.tails[call.Fn]
}

// callTail writes the call of a tail; b writes nothing behind it.
func (b *body) callTail(e *program.Call) {
	key := variant{fn: e.Fn, hot: true, locks: !b.locked}
	name := cName(e.Fn.Name)
	if key.locks {
		name += "_locks"
	}
	to := b.g.variant(key, name)
	b.tail = to
	b.f.calls = append(b.f.calls, to)
	b.passActions(e.Fn)
	args := []string{"c", b.frameAfter()}
	for _, v := range b.values(e.Args, false) {
		args = append(args, v.c)
	}
	b.line("%s(%s);", to.name, strings.Join(args, ", "))
}

// emitTail writes a tail: a handler with parameters.
func (g *gen) emitTail(f *cFunc) {
	fn := f.fn
	g.pos = fn.At
	b := g.newBody(f, true)
	b.fn = nil
	sum := g.a.fns[fn]
	b.counts = g.counts(sum)
	b.locked = !f.locks || !g.leavesLocks(fn.Body, nil)
	given := map[*program.Local]bool{}
	for _, p := range fn.Params {
		given[p] = true
		b.local(p)
	}
	b.stmts(fn.Body)
	code := b.writer
	b.writer = &writer{indent: 1}
	h := &handler{part: bodyPart, phase: running, sum: sum}
	var unlock []unlocking
	if f.locks && b.locked {
		unlock = b.lock(h)
	}
	head := fmt.Sprintf("SHARED void %s(%s)", f.name, params(fn, true, func(p *program.Local) string { return b.local(p).name }))
	g.protos.line("%s __attribute__((__noinline__));", head)
	w := &g.bodies
	start := w.Len()
	w.line("")
	w.at(fn.At)
	w.line("%s", head)
	w.open("{")
	b.declare(w, given)
	w.indent--
	w.Write(b.writer.Bytes())
	w.Write(code.Bytes())
	b.leave(w, h, unlock)
	w.line("return;")
	w.close("}")
	g.apart(start, "")
}
