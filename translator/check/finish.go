// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"bufio"
	"fmt"
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// finish writes the results of the check into the program.
func (c *checker) finish() *program.Program {
	prog := &program.Program{}
	var live []*function
	for _, f := range c.lowered {
		if f.live {
			live = append(live, f)
		}
	}
	c.checkResults(live)
	for _, g := range c.globals {
		if g.reads+g.writes > 0 {
			c.typeGlobal(g)
			prog.Globals = append(prog.Globals, g.Global)
		}
	}
	for _, p := range c.probes {
		p.Locals = c.typeLocals(p.scope)
	}
	for _, f := range live {
		c.typeFunction(f)
	}
	c.warnUnassigned()
	c.nameGlobals()
	c.nameFunctions(live)
	same, declared := map[string]*program.Probe{}, map[syntax.Pos]int{}
	for _, p := range c.probes {
		declared[p.At]++
	}
	for _, p := range c.probes {
		c.at, c.cur = inference{probe: p}, p.scope
		p.eachExtra(c.finishExpr)
		for _, s := range p.body.Stmts {
			p.Body = append(p.Body, c.finishStmt(s).(*program.Block).Stmts...)
		}
		p.compactSaved()
		if declared[p.At] > 1 {
			key := handlerKey(p.Probe)
			if first := same[key]; first != nil {
				first.Points = append(first.Points, p.Points...)
				continue
			}
			same[key] = p.Probe
		}
		prog.Probes = append(prog.Probes, p.Probe)
	}
	for _, f := range live {
		c.at, c.cur = inference{fn: f}, f.scope
		if f.body != nil {
			f.Body = block(c.finishStmt(f.body), f.At).Stmts
		}
		f.Pure = f.pure
		prog.Functions = append(prog.Functions, f.Function)
	}
	for _, f := range c.elab.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*syntax.EmbeddedDecl); ok && !c.isBuiltin(d.Pos()) {
				prog.Embedded = append(prog.Embedded, d.Code)
			}
		}
	}
	return prog
}

// handlerKey is equal for probes of one declaration that have the same handler after elision: the
// aliases that they come from differ only in variables that the handler does not use. Positions are
// part of the key, as messages contain them.
func handlerKey(p *program.Probe) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.At, p.Name)
	for _, s := range p.Body {
		fmt.Fprintln(&b, s.Pos())
	}
	like := *p
	like.Points = []*program.Point{{Name: p.Name}}
	fmt.Fprintln(&b, p.Points[0].Family, p.Points[0].Registers, p.Points[0].Cold)
	d := &dumper{w: bufio.NewWriter(&b), bodies: true}
	d.probe(&like)
	d.w.Flush()
	return b.String()
}

func (c *checker) typeGlobal(g *global) {
	told := false
	complain := func(v *tvar) func() {
		return func() {
			switch {
			case told:
			case g.unassigned:
				c.errorf(g.At, "global %q is never assigned, and nothing tells its type", g.decl.Name).InStap("unresolved type ")
			default:
				c.errorf(g.At, "can't tell the type of %s: nothing says whether it is a long or a string", v).InStap("unresolved type ")
			}
			told = true
		}
	}
	for _, k := range g.keys {
		g.Keys = append(g.Keys, c.resolve(k, complain(k)))
	}
	if g.statAt.IsValid() {
		g.Type = program.Stat
		g.spec()
	} else {
		g.Type = c.resolve(g.elem, complain(g.elem))
	}
	if g.unassigned && !told && !g.elem.root().bad {
		c.warnUnused(g.At, "global %q is read, but never assigned", g.decl.Name).InStap("never-assigned global variable '%s'", g.decl.Name)
	}
}

// typeLocals returns a scope's locals that are used, with their types.
func (c *checker) typeLocals(s *scope) []*program.Local {
	var list []*program.Local
	for _, l := range s.list {
		if l.reads+l.writes == 0 {
			continue
		}
		l.Type = c.resolve(l.v, func() {
			if l.unassigned {
				d := c.errorf(l.readAt, "%q is never assigned, and nothing tells its type", l.Name)
				d.InStap("unresolved type ").Hint = s.unassignedHint(l)
				return
			}
			c.errorf(l.At, "can't tell the type of %q: nothing says whether it is a long or a string", l.Name).InStap("unresolved type ")
		})
		list = append(list, l.Local)
	}
	return list
}

func (c *checker) typeFunction(f *function) {
	g := f.group
	for i, p := range f.Params {
		p.Type = c.resolve(g.params[i], nil)
	}
	f.Locals = c.typeLocals(f.scope)
	f.Result = program.Void
	switch {
	case g.result.root().t != program.Unknown:
		f.Result = g.result.root().t
	case g.callAt.IsValid():
		c.resolve(g.result, nil)
	}
	if f.bareReturn.IsValid() && f.Result != program.Void && !g.result.root().bad {
		c.errorf(f.bareReturn, "return without a value, but the result of %q is %s at %s", g.name, f.Result, g.result.root().at)
	}
}

// checkResults reports the functions whose value is used although they return none.
func (c *checker) checkResults(live []*function) {
	for _, f := range live {
		g := f.group
		if r := g.result.root(); g.callAt.IsValid() && !g.returns && r.t == program.Unknown && !r.bad {
			r.bad = true
			c.errorf(g.callAt, "function %q returns no value that could be used", g.name).InStap("unresolved type ").Hint = "declared at " + f.decl.At.String()
		}
	}
}

func (c *checker) warnUnassigned() {
	if c.broken {
		return
	}
	for _, u := range c.unassigned {
		if r := u.local.v.root(); r.bad || u.local.reads == 0 {
			continue
		}
		if d := c.warnf(u.local.readAt, "%q is read, but never assigned", u.local.Name); d.Pos.IsValid() {
			d.InStap("never-assigned local variable '%s'", u.local.Name).Hint = u.scope.unassignedHint(u.local)
		}
	}
}

// nameGlobals gives private globals of the library unique names.
func (c *checker) nameGlobals() {
	taken := map[string]bool{}
	for _, g := range c.globals {
		if !g.decl.Private {
			taken[g.Name] = true
		}
	}
	for _, g := range c.globals {
		if !g.decl.Private {
			continue
		}
		if !g.user {
			g.Name = fileWord(file(g.decl.At)) + "__" + g.Name
		}
		g.Name = unique(taken, g.Name)
	}
}

// finishStmt completes s, and returns the statement that replaces it.
func (c *checker) finishStmt(s program.Stmt) program.Stmt {
	c.pos = s.Pos()
	switch s := s.(type) {
	case *program.If:
		if s.Then == nil && s.Else != nil {
			s.Cond = unary(s.Cond.Pos(), "!", s.Cond)
			s.Then, s.Else = s.Else, nil
		}
		s.Then = notNil(s.Then, s.At)
	case *program.For:
		s.Body = notNil(s.Body, s.At)
	case *program.Foreach:
		s.Body = notNil(s.Body, s.At)
		c.finishForeach(s)
	case *program.ForeachBucket:
		s.Body = notNil(s.Body, s.At)
		if g := c.statOf(s.X); g != nil {
			s.Hist = c.useHist(g, s.Hist, s.At)
		}
	case *program.Try:
		s.Body, s.Catch = notNil(s.Body, s.At), notNil(s.Catch, s.At)
	case *program.Return:
		if f := c.at.fn; s.X != nil && f != nil && f.Result == program.Void {
			n := &program.Block{At: s.At, Stmts: []program.Stmt{&program.Eval{X: s.X}, &program.Return{At: s.At}}}
			parts(n.Stmts[0], c.finishExpr, nil)
			return n
		}
	}
	parts(s, c.finishExpr, func(p *program.Stmt) { *p = c.finishStmt(*p) })
	return s
}

func notNil(s program.Stmt, at syntax.Pos) program.Stmt {
	if s == nil {
		return &program.Block{At: at}
	}
	return s
}

func (c *checker) finishForeach(s *program.Foreach) {
	g := c.globalOf[s.Array]
	if !g.statAt.IsValid() {
		return
	}
	s.Cursor, s.Value = c.cur.captures[s].cursor, nil
	if s.SortDir == 0 || s.SortKey != 0 {
		return
	}
	if s.SortOp == "" {
		s.SortOp = "count"
	}
	if s.SortOp == "variance" {
		c.useVariance(g, 0, s.At)
		return
	}
	c.useOp(g, s.SortOp)
}

func (c *checker) finishExpr(slot *program.Expr) {
	switch x := (*slot).(type) {
	case *cleared:
		if x.local.Type == program.String {
			*slot = &program.Text{At: x.at}
		} else {
			*slot = &program.Number{At: x.at}
		}
		return
	case *program.StatRead:
		if g := c.statOf(x.X); g != nil && x.Op == "variance" {
			c.useVariance(g, c.shifts[x], x.At)
		} else if g != nil {
			c.useOp(g, x.Op)
		}
	case *program.Bucket:
		if g := c.statOf(x.X); g != nil {
			x.Hist = c.useHist(g, x.Hist, x.At)
		}
	case *program.PrintHist:
		if g := c.statOf(x.X); g != nil {
			x.Hist = c.useHist(g, x.Hist, x.At)
		}
	case *program.Match:
		x.Keep = c.matched
	case *program.SavedValue:
		if p := c.at.probe; p != nil && x.Index < len(p.Saved) {
			x.Kind = p.Saved[x.Index].Type()
			p.useSaved(x)
		}
	case *program.Print:
		if form := c.cur.prints[x]; form != nil {
			c.writeFormat(x, form)
		}
	}
	operands(*slot, c.finishExpr)
}

// useSaved records that x uses its saved value.
func (p *probe) useSaved(x *program.SavedValue) {
	if p.savedUses == nil {
		p.savedUses = make([][]*program.SavedValue, len(p.Saved))
	}
	p.savedUses[x.Index] = append(p.savedUses[x.Index], x)
}

// dropUnsaved removes the values to be saved for branches that are never run, as @defined(@entry($x))
// may have decided against them. An unavailable $x is no error there.
func (p *probe) dropUnsaved() {
	if len(p.Saved) == 0 {
		return
	}
	used := map[int]bool{}
	eachExpr(p.body, func(x program.Expr) {
		if v, ok := x.(*program.SavedValue); ok {
			used[v.Index] = true
		}
	})
	for i, x := range p.Saved {
		if !used[i] {
			p.Saved[i] = &program.Number{At: x.Pos()}
		}
	}
}

// compactSaved removes the values to be saved at a function's entry that are never used.
func (p *probe) compactSaved() {
	var left []program.Expr
	for i, x := range p.Saved {
		if p.savedUses == nil || len(p.savedUses[i]) == 0 {
			continue
		}
		for _, use := range p.savedUses[i] {
			use.Index = len(left)
		}
		left = append(left, x)
	}
	p.Saved = left
}
