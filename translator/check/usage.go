// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// findUnused warns of the user's globals and functions that nothing uses, and records the variables
// that are read and never written: these are warned about when their types are known, or are an error
// if no type is determined.
func (c *checker) findUnused() {
	c.countAll()
	for _, g := range c.globals {
		if g.user && !g.badArity && g.reads == 0 && (g.writes == 0 || g.arity == unknownArity) {
			c.advise(g.At, "global %q is never used; left out", g.decl.Name)
		}
		g.unassigned = g.reads > 0 && g.writes == 0 && g.Init == nil
	}
	for _, g := range c.groups {
		f := g.variants[0]
		if !g.used && f.src.Origin == syntax.User {
			c.advise(f.At, "function %q is never called; left out", g.name)
		}
	}
	note := func(s *scope) {
		for _, l := range s.list {
			if l.reads > 0 && l.writes == 0 {
				c.unassigned = append(c.unassigned, unassigned{s, l})
				l.unassigned = true
			}
		}
	}
	for _, p := range c.probes {
		note(p.scope)
	}
	for _, f := range c.lowered {
		if f.live {
			note(f.scope)
		}
	}
}

// An unassigned local is read, but never written.
type unassigned struct {
	scope *scope
	local *local
}

// countAll finds the functions that probes call, directly or not, and counts how often each variable is
// read and written in them.
func (c *checker) countAll() {
	for _, g := range c.globals {
		g.reads, g.writes = 0, 0
	}
	for _, f := range c.lowered {
		f.live = false
	}
	var todo []*function
	for _, p := range c.probes {
		c.countProbe(p)
		todo = c.markLive(todo, p.scope.calls)
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = c.markLive(todo[:len(todo)-1], c.countFunction(f))
	}
}

// markLive marks the called functions, and appends those that are new to todo.
func (c *checker) markLive(todo []*function, calls []*program.Call) []*function {
	for _, call := range calls {
		for _, f := range c.groupOf[call.Fn].variants {
			if !f.live {
				f.live = true
				todo = append(todo, f)
			}
		}
	}
	return todo
}

// begin makes s the current scope, with no calls recorded.
func (c *checker) begin(s *scope) {
	c.cur = s
	s.calls = s.calls[:0]
	for _, l := range s.all {
		l.reads, l.writes = 0, 0
	}
}

func (c *checker) countProbe(p *probe) {
	c.pos = p.At
	c.begin(p.scope)
	c.collect = true
	c.countStmt(p.body, 1)
	p.eachExtra(func(x *program.Expr) { c.count(*x, true, 1) })
	c.collect = false
}

// countFunction returns the calls in f.
func (c *checker) countFunction(f *function) []*program.Call {
	c.pos = f.At
	c.begin(f.scope)
	c.collect = true
	c.countCode(f, 1)
	c.collect = false
	return f.scope.calls
}

func (c *checker) countCode(f *function, n int) {
	if f.Code != nil {
		c.countEmbedded(f.Code, n)
	} else {
		c.countStmt(f.body, n)
	}
}

// dropDead finds the functions that are not called any more, subtracts their uses from the counts, and
// reports whether there are any. Only bodies that changed are searched for calls again.
func (c *checker) dropDead() bool {
	wasLive := map[*function]bool{}
	for _, f := range c.lowered {
		wasLive[f] = f.live
		f.live = false
		if f.scope.changed {
			f.scope.calls = callsOf(f.body)
		}
	}
	var todo []*function
	for _, p := range c.probes {
		if p.scope.changed {
			p.scope.calls = callsOf(p.body)
			p.eachExtra(func(x *program.Expr) {
				p.scope.calls = append(p.scope.calls, callsOf(&program.Eval{X: *x})...)
			})
		}
		todo = c.markLive(todo, p.scope.calls)
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = c.markLive(todo[:len(todo)-1], f.scope.calls)
	}
	dropped := false
	for _, f := range c.lowered {
		if wasLive[f] && !f.live {
			dropped = true
			c.cur = f.scope
			c.countCode(f, -1)
		}
	}
	return dropped
}

// countStmt adds n to the counts of the variables that s reads and writes.
func (c *checker) countStmt(s program.Stmt, n int) {
	switch s := s.(type) {
	case nil:
	case *program.Eval:
		c.count(s.X, false, n)
	case *program.Block:
		for _, s := range s.Stmts {
			c.countStmt(s, n)
		}
	case *program.If:
		c.count(s.Cond, true, n)
		c.countStmt(s.Then, n)
		c.countStmt(s.Else, n)
	case *program.For:
		c.count(s.Init, false, n)
		c.count(s.Cond, true, n)
		c.count(s.Post, false, n)
		c.countStmt(s.Body, n)
	case *program.Foreach:
		c.globalOf[s.Array].reads += n
		c.countKeys(s.Slice, n)
		c.count(s.Limit, true, n)
		c.countLocals(n, s.Keys...)
		c.countLocals(n, s.Value)
		c.countStmt(s.Body, n)
	case *program.ForeachBucket:
		c.count(s.X, true, n)
		c.count(s.Limit, true, n)
		c.countLocals(n, s.Key, s.Value)
		c.countStmt(s.Body, n)
	case *program.Return:
		c.count(s.X, true, n)
	case *program.Delete:
		c.countPlace(s.X, n)
	case *program.Try:
		c.countStmt(s.Body, n)
		if s.Msg != nil {
			c.countPlace(s.Msg, n)
		}
		c.countStmt(s.Catch, n)
	}
}

// countLocals adds n to the counts of the variables that a loop sets; they may be nil.
func (c *checker) countLocals(n int, locals ...*program.Local) {
	for _, l := range locals {
		if l != nil {
			c.local(l).writes += n
		}
	}
}

// count adds n to the counts of the variables that x reads and writes. An operator such as += reads its
// variable only if the result is used.
func (c *checker) count(x program.Expr, used bool, n int) {
	switch x := x.(type) {
	case nil:
	case *program.LocalRef:
		l := c.local(x.Local)
		l.reads += n
		if !l.readAt.IsValid() {
			l.readAt = x.At
		}
	case *program.GlobalRef:
		c.globalOf[x.Global].reads += n
	case *program.Element:
		c.globalOf[x.Array].reads += n
		c.countKeys(x.Keys, n)
	case *program.StatCursor:
		c.globalOf[x.Cursor.Array].reads += n
	case *program.In:
		c.globalOf[x.Array].reads += n
		c.countKeys(x.Keys, n)
	case *program.Assign:
		if used && x.Op != "" {
			c.count(x.X, true, n)
		}
		c.countPlace(x.X, n)
		c.count(x.Y, true, n)
	case *program.IncDec:
		if used {
			c.count(x.X, true, n)
		}
		c.countPlace(x.X, n)
	case *program.Aggregate:
		if g := c.statOf(x.X); g != nil {
			g.aggregated = true
		}
		c.countPlace(x.X, n)
		c.count(x.Y, true, n)
	case *program.Cond:
		c.count(x.If, true, n)
		c.count(x.Then, used, n)
		c.count(x.Else, used, n)
	case *program.Logical:
		c.count(x.X, true, n)
		c.count(x.Y, used, n)
	case *program.Embedded:
		c.countEmbedded(x.Code, n)
		c.countKeys(x.Args, n)
	case *program.Call:
		if c.collect {
			c.cur.calls = append(c.cur.calls, x)
		}
		c.countKeys(x.Args, n)
	case *program.Print:
		c.countKeys(x.Args, n)
	default:
		operands(x, func(y *program.Expr) { c.count(*y, true, n) })
	}
}

func (c *checker) countKeys(keys []program.Expr, n int) {
	for _, k := range keys {
		c.count(k, true, n)
	}
}

// countPlace adds n to the counts for an lvalue that is written.
func (c *checker) countPlace(x program.Expr, n int) {
	switch x := x.(type) {
	case *program.LocalRef:
		c.local(x.Local).writes += n
	case *program.GlobalRef:
		c.globalOf[x.Global].writes += n
	case *program.Element:
		c.globalOf[x.Array].writes += n
		c.countKeys(x.Keys, n)
	default:
		c.count(x, true, n)
	}
}

func (c *checker) countEmbedded(code *syntax.EmbeddedC, n int) {
	for _, u := range c.embeddedUses[code] {
		if u.write {
			u.g.writes += n
		} else {
			u.g.reads += n
		}
	}
}
