// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "gostap/translator/program"

// A neverRun is code that nothing gets to: constants decide against it, what stands before leaves, or another variant of
// its function is taken. It is not translated. Its types are checked all the same, and target variables that
// have no value in it are no error.
//
// In probes that have target variables it is different with what constants decide against: it is left out before names
// are looked up (scope.decides), as it is often about what this kernel has not.
type neverRun struct {
	scope *scope
	body  program.Stmt
}

// never notes code of s that is not run.
func (s *scope) never(body program.Stmt) {
	if body != nil {
		s.c.neverRun = append(s.c.neverRun, neverRun{s, body})
	}
}

// neverExpr notes an expression that is not evaluated.
func (s *scope) neverExpr(x program.Expr) {
	if !s.decides {
		s.never(&program.Eval{X: x})
	}
}

// inferNever gathers what the code that is never run says about types.
func (c *checker) inferNever() {
	for _, n := range c.neverRun {
		c.at, c.cur = inference{probe: n.scope.probe, fn: n.scope.fn, never: true}, n.scope
		c.inferStmt(n.body)
	}
}
