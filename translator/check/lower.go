// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "gostap/translator/program"

// lowerAll lowers the probes and the functions that they call.
func (c *checker) lowerAll() {
	for _, e := range c.elab.Probes {
		c.probes = append(c.probes, c.lowerProbe(e))
	}
	for len(c.queue) > 0 {
		f := c.queue[0]
		c.queue = c.queue[1:]
		c.lowerFunction(f)
		c.lowered = append(c.lowered, f)
	}
	for _, g := range c.groups {
		if g.used {
			for _, f := range g.variants {
				f.next = f.next || hasNext(f.body)
			}
			c.link(g)
		}
	}
}

func hasNext(s program.Stmt) bool {
	if s == nil {
		return false
	}
	if _, ok := s.(*program.Next); ok {
		return true
	}
	found := false
	parts(s, func(*program.Expr) {}, func(s *program.Stmt) { found = found || hasNext(*s) })
	return found
}

func (c *checker) lowerProbe(e *program.ElaboratedProbe) *probe {
	c.pos = e.At
	p := &probe{
		Probe: &program.Probe{At: e.At, Name: e.Name, Points: e.Points},
		scope: c.newScope(file(e.At), e.Values),
		body:  &program.Block{At: e.At},
	}
	p.scope.probe, p.scope.decides = p, e.Targets
	for _, x := range e.Conds {
		s := p.scope.elsewhere("a probe's condition", file(x.Pos()))
		cond := s.expr(x)
		if p.Cond != nil {
			cond = &program.Logical{At: cond.Pos(), Op: "&&", X: p.Cond, Y: cond}
		}
		p.Cond = cond
	}
	for _, x := range e.Saved {
		s := p.scope.elsewhere("@entry", file(x.Pos()))
		p.Saved = append(p.Saved, s.fill(x))
	}
	for _, b := range e.Bodies {
		p.scope.file = file(b.At)
		if len(b.Stmts) == 0 && (c.handlers[b] && (!c.opts.AsStap || len(e.Conds) > 0) || e.Points[0].IsCounter()) {
			p.empty = true
		}
		block := &program.Block{At: b.At}
		if n := p.scope.block(b); n != nil {
			block = n.(*program.Block)
		}
		block.At = b.At
		p.quiet = append(p.quiet, !c.handlers[b])
		p.body.Stmts = append(p.body.Stmts, block)
	}
	return p
}
