// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// maxRounds bounds the rounds of elision: what one round removes may have been the only use of
// something else. Within a body one round suffices, as it goes from the end to the beginning.
const maxRounds = 6

// elide removes unused code that has no effect. Uses have been counted before, and elide keeps the
// counts up to date.
func (c *checker) elide() {
	all := true // visit all bodies, not only those that changed
	for round := 0; round < maxRounds && !c.opts.Unoptimized; round++ {
		c.findPure()
		unread := c.unreadGlobals()
		changed := false
		for _, p := range c.probes {
			if all || p.scope.changed {
				c.elideProbe(p)
				changed = changed || p.scope.changed
			}
		}
		functions := false
		for _, f := range c.lowered {
			if f.live && f.body != nil && (all || f.scope.changed) {
				c.cur, c.pos = f.scope, f.At
				e := &elider{c: c}
				f.body = e.stmt(f.body)
				f.scope.changed = e.changed
				functions = functions || e.changed
			}
		}
		if !changed && !functions {
			break
		}
		all = c.dropDead() || functions || c.unreadGlobals() != unread
	}
	c.dropProbes()
}

func (c *checker) elideProbe(p *probe) {
	c.cur, c.pos = p.scope, p.At
	p.scope.changed = false
	for i := len(p.body.Stmts) - 1; i >= 0; i-- {
		e := &elider{c: c, quiet: p.quiet[i]}
		p.body.Stmts[i] = block(e.stmt(p.body.Stmts[i]), p.body.Stmts[i].Pos())
		p.scope.changed = p.scope.changed || e.changed
		p.updates = p.updates || e.updates
	}
}

// unreadGlobals counts the globals whose assignments may be removed.
func (c *checker) unreadGlobals() int {
	n := 0
	for _, g := range c.globals {
		if g.removable() {
			n++
		}
	}
	return n
}

// dropProbes drops the probes whose handlers are empty after elision. Those that were written with an
// empty handler are kept unless Options.AsStap is set, as their hits can be counted. Probes that only
// update unread variables, by ++ or +=, are kept, too, as in SystemTap.
func (c *checker) dropProbes() {
	var left []*probe
	for _, p := range c.probes {
		if c.opts.Unoptimized || p.empty || p.updates || !p.doesNothing() {
			left = append(left, p)
			continue
		}
		c.warnUnused(p.At, "probe %s does nothing; left out", p.Name).InStap("Probe '%s' has been elided", p.Name)
	}
	if len(left) == 0 {
		var at syntax.Pos
		if len(c.probes) > 0 && !c.opts.AsStap {
			at = c.probes[0].At
		}
		c.errorf(at, "no probes are left to run").InStap("no probes found").Hint = "with -u, probes that do nothing stay in"
	}
	c.probes = left
}

func (p *probe) doesNothing() bool {
	for _, s := range p.body.Stmts {
		if len(s.(*program.Block).Stmts) > 0 {
			return false
		}
	}
	return true
}

// An elider removes unneeded code from one body.
type elider struct {
	c       *checker
	quiet   bool // don't warn
	warned  bool // the current statement has been warned about
	changed bool
	updates bool // of what was taken out, SystemTap leaves something in
}

// stmt returns what remains of s, nil if nothing does.
func (e *elider) stmt(s program.Stmt) program.Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *program.Eval:
		return e.eval(s)
	case *program.Block:
		return e.block(s)
	case *program.If:
		s.Else = e.stmt(s.Else)
		s.Then = e.stmt(s.Then)
		if s.Then == nil && s.Else == nil {
			e.changed = true
			return e.stmts(e.only(s.Cond, true))
		}
		e.value(&s.Cond)
	case *program.For:
		e.value(&s.Cond)
		s.Body = e.stmt(s.Body)
		s.Post = e.single(s.Post)
		s.Init = e.single(s.Init)
	case *program.Foreach:
		s.Body = e.stmt(s.Body)
		if s.Body == nil && e.unread(s.Keys...) && e.unread(s.Value) {
			e.changed = true
			e.c.globalOf[s.Array].reads--
			e.c.countLocals(-1, s.Keys...)
			e.c.countLocals(-1, s.Value)
			var rest []program.Expr
			for _, x := range append(s.Slice, s.Limit) {
				rest = append(rest, e.only(x, true)...)
			}
			return e.stmts(rest)
		}
		e.value(&s.Limit)
		for i := range s.Slice {
			e.value(&s.Slice[i])
		}
	case *program.ForeachBucket:
		s.Body = e.stmt(s.Body)
		if s.Body == nil && e.unread(s.Key, s.Value) {
			e.changed = true
			e.c.countLocals(-1, s.Key, s.Value)
			return e.stmts(append(e.only(s.X, true), e.only(s.Limit, true)...))
		}
		e.value(&s.X)
		e.value(&s.Limit)
	case *program.Return:
		e.value(&s.X)
	case *program.Delete:
		if e.removable(s.X) {
			e.changed = true
			e.c.countPlace(s.X, -1)
			var rest []program.Expr
			if x, ok := s.X.(*program.Element); ok {
				rest = e.keyEffects(x.Keys)
			}
			e.acquire(rest)
			return e.stmts(rest)
		}
	case *program.Try:
		s.Catch = e.stmt(s.Catch)
		s.Body = e.stmt(s.Body)
		if s.Body == nil {
			e.changed = true
			if s.Msg != nil {
				e.c.countPlace(s.Msg, -1)
			}
			e.c.countStmt(s.Catch, -1)
			return nil
		}
		if s.Msg != nil && e.removable(s.Msg) {
			e.c.countPlace(s.Msg, -1)
			s.Msg = nil
		}
	}
	return s
}

// unread reports whether none of the locals, which may be nil, is read.
func (e *elider) unread(locals ...*program.Local) bool {
	for _, l := range locals {
		if l != nil && e.c.local(l).reads > 0 {
			return false
		}
	}
	return true
}

func (e *elider) block(s *program.Block) program.Stmt {
	kept := len(s.Stmts)
	for i := len(s.Stmts) - 1; i >= 0; i-- {
		if n := e.stmt(s.Stmts[i]); n != nil {
			kept--
			s.Stmts[kept] = n
		}
	}
	s.Stmts = s.Stmts[kept:]
	if len(s.Stmts) == 0 {
		return nil
	}
	return s
}

// eval removes the parts of an expression statement that have no effect.
func (e *elider) eval(s *program.Eval) program.Stmt {
	e.warned = false
	rest := e.only(s.X, false)
	if len(rest) == 1 && rest[0] == s.X {
		return s
	}
	e.changed = true
	if len(rest) == 0 && !e.warned && !e.quiet {
		if call, ok := s.X.(*program.Call); ok {
			e.c.warnUnused(s.X.Pos(), "the result of %s() is not used, and it does nothing else; left out", call.Fn.Script).InStap(elided)
		} else {
			e.c.warnUnused(s.X.Pos(), "this expression has no effect; left out").InStap(elided)
		}
	}
	return e.stmts(rest)
}

// elided begins SystemTap's message about an expression that is removed.
const elided = "Eliding side-effect-free expression "

// stmts makes a statement of expressions.
func (e *elider) stmts(list []program.Expr) program.Stmt {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return &program.Eval{X: list[0]}
	}
	b := &program.Block{At: list[0].Pos()}
	for _, x := range list {
		b.Stmts = append(b.Stmts, &program.Eval{X: x})
	}
	return b
}

// single is only for places that take a single expression.
func (e *elider) single(x program.Expr) program.Expr {
	if x == nil {
		return nil
	}
	e.c.count(x, false, -1)
	rest := e.effects(x)
	switch {
	case len(rest) == 0:
		x, e.changed = nil, true
	case len(rest) == 1 && rest[0] != x:
		x, e.changed = rest[0], true
	}
	e.c.count(x, false, 1)
	return x
}

// value removes unneeded assignments from an expression whose value is used.
func (e *elider) value(x *program.Expr) {
	if *x != nil {
		e.c.count(*x, true, -1)
		*x = e.needed(*x)
		e.c.count(*x, true, 1)
	}
}

// only returns the parts of x that have effects; used is whether x's value was used.
func (e *elider) only(x program.Expr, used bool) []program.Expr {
	if x == nil {
		return nil
	}
	e.c.count(x, used, -1)
	rest := e.effects(x)
	e.acquire(rest)
	return rest
}

func (e *elider) acquire(list []program.Expr) {
	for _, x := range list {
		e.c.count(x, false, 1)
	}
}

// removable reports whether the value stored at x is never read.
func (e *elider) removable(x program.Expr) bool {
	switch x := x.(type) {
	case *program.LocalRef:
		return e.c.local(x.Local).reads <= 0
	case *program.GlobalRef:
		return e.c.globalOf[x.Global].removable()
	case *program.Element:
		return e.c.globalOf[x.Array].removable()
	}
	return false
}
