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

// An unreturned value is one that a function would return in code that is never reached. It has to have
// the result's type all the same.
type unreturned struct {
	fn *function
	x  program.Expr
}

// unreached notes what a statement of a function would return that follows one which leaves it.
func (s *scope) unreached(x program.Stmt) {
	if s.fn != nil {
		s.c.neverReturns(s.fn, x)
	}
}

func (c *checker) neverReturns(f *function, s program.Stmt) {
	eachStmt(s, func(s program.Stmt) {
		if r, ok := s.(*program.Return); ok && r.X != nil {
			c.unreturned = append(c.unreturned, unreturned{f, r.X})
		}
	})
}

// inferUnreturned joins the types of what would be returned to the functions' results, as far as they are plain to see.
func (c *checker) inferUnreturned() {
	for _, r := range c.unreturned {
		if t := r.x.Type(); t == program.Long || t == program.String {
			c.unify(term{v: r.fn.group.result}, term{t: t}, r.x.Pos())
		}
	}
}
