// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "gostap/translator/program"

// A neverRun is code that is never reached: a constant condition excludes it, it is behind a statement
// that leaves, or another variant of its function is called. It is not translated, but its types are
// checked, and target variables without value are no error in it.
//
// In probes with target variables, branches that a constant condition excludes are dropped before names
// are resolved (scope.decides), as they often refer to what the running kernel does not have.
// are looked up (scope.decides), as it is often about what this kernel has not.
type neverRun struct {
	scope *scope
	body  program.Stmt
}

// never records code of s that is not run.
func (s *scope) never(body program.Stmt) {
	if body != nil {
		s.c.neverRun = append(s.c.neverRun, neverRun{s, body})
	}
}

// neverExpr records an expression that is not evaluated.
func (s *scope) neverExpr(x program.Expr) {
	if !s.decides {
		s.never(&program.Eval{X: x})
	}
}

// inferNever infers types from code that is never run.
func (c *checker) inferNever() {
	for _, n := range c.neverRun {
		c.at, c.cur = inference{probe: n.scope.probe, fn: n.scope.fn, never: true}, n.scope
		c.inferStmt(n.body)
	}
}
