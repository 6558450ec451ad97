// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
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
func sessionEvent(_ *session, m match) ([]*Place, *syntax.Diagnostic) {
	event := m.point.Components[0].Name
	return []*Place{{Point: &program.Point{
		At:     m.at(),
		Family: event,
		Name:   spell(m.point),
		Args:   [2]int64{m.number(event, 0)},
		Cold:   true,
	}}}, nil
}

// oneshot builds a begin probe that ends the session when it is done.
func oneshot(_ *session, m match) ([]*Place, *syntax.Diagnostic) {
	return []*Place{{
		Point: &program.Point{At: m.at(), Family: "begin", Name: "oneshot", Cold: true},
		After: &syntax.Block{At: m.at(), Stmts: []syntax.Stmt{
			&syntax.ExprStmt{X: &syntax.CallExpr{At: m.at(), Name: "exit"}},
		}},
	}}, nil
}

// never builds the point that nothing ever reaches; its handler is checked all
// the same.
func never(_ *session, m match) ([]*Place, *syntax.Diagnostic) {
	return []*Place{{Point: &program.Point{At: m.at(), Family: "never", Name: "never", Cold: true}}}, nil
}
