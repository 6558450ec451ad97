// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// An inference is the context of the code whose types are being inferred.
type inference struct {
	probe  *probe                          // whose code it is, or nil
	fn     *function                       // or nil
	open   map[*program.Local]*foreachLoop // the loops around, by the variable that captures their value
	walked []*program.Global               // the arrays that the loops around walk over
	never  bool                            // the code is never run
}

// inferAll infers types from every use.
func (c *checker) inferAll() {
	for _, p := range c.probes {
		c.at, c.cur, c.pos = inference{probe: p}, p.scope, p.At
		if p.Cond != nil {
			c.want(p.Cond, program.Long)
		}
		p.dropUnsaved()
		p.saved = p.saved[:0]
		for _, x := range p.Saved {
			p.saved = append(p.saved, c.infer(x))
		}
		c.inferStmt(p.body)
	}
	for _, f := range c.lowered {
		if f.live && f.body != nil {
			c.at, c.cur, c.pos = inference{fn: f}, f.scope, f.At
			c.inferStmt(f.body)
		}
	}
	c.inferNever()
	c.inferLoops()
	c.checkStats()
	c.checkWalked()
}

func (c *checker) inferStmt(s program.Stmt) {
	if s == nil {
		return
	}
	c.pos = s.Pos()
	switch s := s.(type) {
	case *program.Eval:
		c.effect(s.X)
	case *program.If:
		c.want(s.Cond, program.Long)
		c.inferStmt(s.Then)
		c.inferStmt(s.Else)
	case *program.For:
		if s.Init != nil {
			c.effect(s.Init)
		}
		if s.Cond != nil {
			c.want(s.Cond, program.Long)
		}
		if s.Post != nil {
			c.effect(s.Post)
		}
		c.inferStmt(s.Body)
	case *program.Foreach:
		c.inferForeach(s)
	case *program.ForeachBucket:
		c.stat(s.X)
		for _, l := range []*program.Local{s.Key, s.Value} {
			if l != nil {
				c.settle(c.local(l).v, program.Long, s.At)
			}
		}
		if s.Limit != nil {
			c.want(s.Limit, program.Long)
		}
		c.inferStmt(s.Body)
	case *program.Break:
		c.inLoop(s, "break")
	case *program.Continue:
		c.inLoop(s, "continue")
	case *program.Return:
		c.inferReturn(s)
	case *program.Delete:
		if c.opts.AsStap {
			c.modified(s.X, s.At)
		}
		if x, ok := s.X.(*program.Element); ok {
			c.inferKeys(c.globalOf[x.Array], x.Keys)
		}
	case *program.Try:
		c.inferStmt(s.Body)
		if s.Msg != nil {
			c.want(s.Msg, program.String)
		}
		c.inferStmt(s.Catch)
	default:
		parts(s, func(x *program.Expr) { c.infer(*x) }, func(s *program.Stmt) { c.inferStmt(*s) })
	}
}

// inLoop reports a break or continue that is run outside of loops.
func (c *checker) inLoop(s program.Stmt, keyword string) {
	if c.loopless[s] && !c.at.never {
		c.errorf(s.Pos(), "'%s' stands outside of a loop", keyword).InStap("cannot '%s' outside loop", keyword)
	}
}

// inferReturn unifies a returned value with the function's result. If the value is a call of a function
// without result, this function has none either.
func (c *checker) inferReturn(s *program.Return) {
	f := c.at.fn
	switch {
	case f == nil:
		if s.X != nil {
			c.effect(s.X)
		}
	case s.X == nil:
		if !f.bareReturn.IsValid() {
			f.bareReturn = s.At
		}
	default:
		if call, ok := s.X.(*program.Call); ok {
			c.unify(term{v: f.group.result}, c.inferCall(call), s.X.Pos())
			return
		}
		f.group.returns = true
		c.unify(term{v: f.group.result}, c.infer(s.X), s.X.Pos())
	}
}

func (c *checker) inferForeach(s *program.Foreach) {
	g := c.globalOf[s.Array]
	c.inferKeys(g, s.Slice)
	for i, k := range s.Keys {
		l := c.local(k)
		c.join(g.keys[i], l.v, l.At)
	}
	if s.Limit != nil {
		c.want(s.Limit, program.Long)
	}
	c.foreachs = append(c.foreachs, inferredLoop{s, c.cur, c.at.never})
	if c.at.open == nil {
		c.at.open = map[*program.Local]*foreachLoop{}
	}
	c.at.walked = append(c.at.walked, s.Array)
	if s.Value == nil {
		c.inferStmt(s.Body)
	} else {
		outer := c.at.open[s.Value]
		c.at.open[s.Value] = c.cur.captures[s]
		c.inferStmt(s.Body)
		c.at.open[s.Value] = outer
	}
	c.at.walked = c.at.walked[:len(c.at.walked)-1]
}

// An inferredLoop is a loop that may capture a value.
type inferredLoop struct {
	loop  *program.Foreach
	scope *scope
	never bool // it is never run
}

// inferLoops infers the types of the values that foreach captures, when it is known which arrays hold
// statistics.
func (c *checker) inferLoops() {
	for _, l := range c.foreachs {
		s, loop := l.loop, l.scope.captures[l.loop]
		g := c.globalOf[s.Array]
		stat := g.statAt.IsValid()
		if s.SortOp != "" && !stat {
			c.errorf(s.At, "%q is sorted by @%s, but does not hold statistics", g.decl.Name, s.SortOp).InStap("invalid type long")
		}
		switch {
		case s.Value == nil:
		case !stat:
			c.join(g.elem, loop.value.v, loop.value.At)
			loop.cursor = nil
		case loop.plainAt.IsValid():
			c.errorf(loop.plainAt, "%q is a statistic here, of array %q, and has no value of its own", loop.valueName, g.decl.Name).
				Hint = "ask for one of its figures: @count(" + loop.valueName + ")"
			loop.value.v.root().bad = true
		case !l.never:
			loop.value.writes-- // the captured value is not a local variable
		}
	}
}

// checkStats reports globals that are used both as a statistic and as a value.
func (c *checker) checkStats() {
	for _, g := range c.globals {
		if g.statAt.IsValid() && g.valueAt.IsValid() {
			g.elem.root().bad = true
			c.errorf(g.valueAt, "%q is used as a value, but is a statistic at %s", g.decl.Name, g.statAt).
				Hint = "statistics are filled with <<< and read with @count, @sum, @min, @max, @avg"
		}
	}
}

// want infers x and unifies it with t.
func (c *checker) want(x program.Expr, t program.Type) {
	c.unify(term{t: t}, c.infer(x), x.Pos())
}

// effect infers x where its value is not used, so that it may have none.
func (c *checker) effect(x program.Expr) {
	switch x := x.(type) {
	case *program.Call:
		c.inferCall(x)
	case *program.Print:
		c.inferPrint(x)
	case *program.PrintHist:
		c.stat(x.X)
	default:
		c.infer(x)
	}
}

// infer infers the types in x and returns that of x.
func (c *checker) infer(x program.Expr) term {
	switch x := x.(type) {
	case *program.Text:
		return stringTerm
	case *program.LocalRef:
		if loop := c.at.open[x.Local]; loop != nil && !loop.plainAt.IsValid() {
			loop.plainAt = x.At
		}
		return term{v: c.local(x.Local).v}
	case *program.GlobalRef:
		return c.value(c.globalOf[x.Global], x.At)
	case *program.Element:
		g := c.globalOf[x.Array]
		c.inferKeys(g, x.Keys)
		return c.value(g, x.At)
	case *program.Call:
		g := c.groupOf[x.Fn]
		if !g.callAt.IsValid() {
			g.callAt = x.At
		}
		return c.inferCall(x)
	case *program.Compare:
		a, b := c.infer(x.X), c.infer(x.Y)
		c.unify(a, b, x.Y.Pos())
	case *program.Concat:
		c.want(x.X, program.String)
		c.want(x.Y, program.String)
		return stringTerm
	case *program.Cond:
		c.want(x.If, program.Long)
		a, b := c.infer(x.Then), c.infer(x.Else)
		c.unify(a, b, x.Else.Pos())
		if a == (term{}) {
			return b
		}
		return a
	case *program.Assign:
		return c.inferAssign(x)
	case *program.IncDec:
		c.modified(x.X, x.At)
		c.want(x.X, program.Long)
	case *program.Aggregate:
		c.modified(x.X, x.At)
		c.stat(x.X)
		c.want(x.Y, program.Long)
	case *program.StatRead:
		c.stat(x.X)
	case *program.Bucket:
		c.stat(x.X)
		c.want(x.Index, program.Long)
	case *program.In:
		c.inferKeys(c.globalOf[x.Array], x.Keys)
	case *program.Match:
		c.want(x.X, program.String)
	case *program.Print:
		c.inferPrint(x)
		if x.Sprint {
			return stringTerm
		}
		c.errorf(x.At, "this prints, and has no value that could be used").Hint = "the sprint family returns what it formats"
		return term{}
	case *program.PrintHist:
		c.stat(x.X)
		if x.Sprint {
			return stringTerm
		}
		c.errorf(x.At, "this prints, and has no value that could be used")
		return term{}
	case *program.Embedded:
		for _, arg := range x.Args {
			c.infer(arg)
		}
		return term{t: x.Result}
	case *program.SavedValue:
		if p := c.at.probe; x.Kind == program.Unknown && p != nil && x.Index < len(p.saved) {
			return p.saved[x.Index]
		}
		if x.Kind != program.Unknown {
			return term{t: x.Kind}
		}
	case *unavailable:
		if c.at.never {
			return term{}
		}
		c.diags = append(c.diags, x.err)
		c.once(x.err)
		return term{}
	case *invalid:
		return term{}
	case *cleared:
		return term{v: x.local.v}
	default:
		operands(x, func(y *program.Expr) { c.want(*y, program.Long) })
		if x.Type() == program.String {
			return stringTerm
		}
	}
	return longTerm
}

func (c *checker) inferPrint(x *program.Print) {
	if c.cur.prints[x] == nil {
		c.inferFormat(x)
		return
	}
	for _, arg := range x.Args {
		c.infer(arg)
	}
}

func (c *checker) inferAssign(x *program.Assign) term {
	c.modified(x.X, x.At)
	to := c.infer(x.X)
	have := c.infer(x.Y)
	switch x.Op {
	case "":
		c.unify(to, have, x.Y.Pos())
	case ".":
		c.unify(stringTerm, to, x.X.Pos())
		c.unify(stringTerm, have, x.Y.Pos())
	default:
		c.unify(longTerm, to, x.X.Pos())
		c.unify(longTerm, have, x.Y.Pos())
	}
	return to
}

// inferCall infers the arguments of a call, and returns the result's type.
func (c *checker) inferCall(x *program.Call) term {
	g := c.groupOf[x.Fn]
	for i, arg := range x.Args {
		c.unify(term{v: g.params[i]}, c.infer(arg), arg.Pos())
	}
	c.callInLoop(x)
	return term{v: g.result}
}

func (c *checker) inferKeys(g *global, keys []program.Expr) {
	for i, k := range keys {
		if k != nil {
			c.unify(term{v: g.keys[i]}, c.infer(k), k.Pos())
		}
	}
}

// value records that g is used as a number or string.
func (c *checker) value(g *global, pos syntax.Pos) term {
	if !g.valueAt.IsValid() {
		g.valueAt = pos
	}
	return term{v: g.elem}
}

// stat records that x is used as a statistic.
func (c *checker) stat(x program.Expr) {
	if e, ok := x.(*program.Element); ok {
		c.inferKeys(c.globalOf[e.Array], e.Keys)
	}
	if g := c.statOf(x); g != nil && !g.statAt.IsValid() {
		g.statAt = x.Pos()
	}
}

// statOf returns the variable or array that holds the statistic x.
func (c *checker) statOf(x program.Expr) *global {
	switch x := x.(type) {
	case *program.GlobalRef:
		return c.globalOf[x.Global]
	case *program.Element:
		return c.globalOf[x.Array]
	case *program.StatCursor:
		return c.globalOf[x.Cursor.Array]
	}
	return nil
}
