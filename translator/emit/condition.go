// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import "gostap/translator/program"

// disarmable reports whether the probe is to be disarmed while its condition is false. This requires a
// condition that depends on globals alone, as these tell when to evaluate it again. A condition with
// embedded C, which may read a task's name or the time, or with reads of memory is evaluated at each
// hit instead.
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
