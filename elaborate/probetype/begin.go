// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func init() {
	register(sessionEvent, "begin", "begin(number)", "end", "end(number)", "error", "error(number)")
	register(oneshot, "oneshot")
	register(never, "never")
}

// sessionEvent builds begin, end and error: the start and the end of a
// session, in the order of their sequence numbers.
func sessionEvent(_ *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	event := m.Root()
	return []*ProbeSite{{Point: &program.Point{
		At:     m.At,
		Family: event,
		Name:   probepoint.Spell(m.ProbePoint),
		Args:   [2]int64{m.Number(event, 0)},
		Cold:   true,
	}}}, nil
}

// oneshot builds a begin probe that ends the session when it is done.
func oneshot(_ *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	return []*ProbeSite{{
		Point: &program.Point{At: m.At, Family: "begin", Name: "oneshot", Cold: true},
		After: &syntax.Block{At: m.At, Stmts: []syntax.Stmt{
			&syntax.ExprStmt{X: &syntax.CallExpr{At: m.At, Name: "exit"}},
		}},
	}}, nil
}

// // never builds the point that is never hit; its handler is checked all the same.
func never(_ *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	return []*ProbeSite{{Point: &program.Point{At: m.At, Family: "never", Name: "never", Cold: true}}}, nil
}
