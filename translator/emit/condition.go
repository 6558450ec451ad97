// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import "gostap/translator/program"

// disarmable reports whether the probe is to be disarmed while its condition is false. That
// takes a condition which changes only when a global does, as then it is known when to ask it
// again. What embedded C tells, a task's name or the time, and what is in memory, may be
// another at each hit: then it is asked at each.
func disarmable(pr *program.Probe) bool {
	if pr.Cond == nil {
		return false
	}
	steady, seen := true, map[*program.Function]bool{}
	var v visitor
	v.expr = func(e program.Expr, _ bool) {
		switch e := e.(type) {
		case *program.Deref, *program.Embedded:
			steady = false
		case *program.Call:
			for fn := e.Fn; fn != nil && !seen[fn]; fn = fn.Next {
				seen[fn] = true
				steady = steady && fn.Code == nil
				v.stmts(fn.Body)
			}
		}
	}
	v.walk(pr.Cond, true)
	return steady
}
