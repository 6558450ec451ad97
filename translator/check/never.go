// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "gostap/translator/program"

// never notes a branch that a constant condition decides against. It is not
// run, not checked for types and not translated; but what nothing else tells
// the type of, its assignments may.
func (s *scope) never(branch program.Stmt) {
	if branch != nil {
		s.c.neverRun = append(s.c.neverRun, branch)
	}
}

// inferNever gives the globals that have no type yet the type of what is
// assigned to them in code that is never run.
func (c *checker) inferNever() {
	var visit func(*program.Stmt)
	expr := func(x *program.Expr) {
		a, ok := (*x).(*program.Assign)
		if !ok || a.Op != "" {
			return
		}
		var g *global
		switch to := a.X.(type) {
		case *program.GlobalRef:
			g = c.globalOf[to.Global]
		case *program.Element:
			g = c.globalOf[to.Array]
		}
		if g == nil || g.elem.root().t != program.Unknown {
			return
		}
		switch a.Y.(type) {
		case *program.Number:
			c.settle(g.elem, program.Long, a.At)
		case *program.Text:
			c.settle(g.elem, program.String, a.At)
		}
	}
	visit = func(s *program.Stmt) { parts(*s, expr, visit) }
	for i := range c.neverRun {
		visit(&c.neverRun[i])
	}
}
