// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"slices"

	"gostap/translator/program"
)

// maxUncounted is the number of calls that a function may lead to, apart from loops, before calls of it
// count as actions: even without loops and recursion, the number can double at each level.
const maxUncounted = 100

// manyCalls stands for all larger numbers of calls.
const manyCalls = 1 << 30

// findRecursion finds the functions that are recursive, the longest chain of calls, and the number of
// calls that functions lead to. Tails are parts of handlers and don't count.
func (a *analysis) findRecursion(functions []*program.Function, tails map[*program.Function]bool) {
	for _, component := range stronglyConnected(functions, a.called) {
		for _, fn := range component {
			a.recursive[fn] = len(component) > 1 || slices.Contains(a.called(fn), fn)
			a.costs[fn] = 1
			for _, to := range a.called(fn) {
				a.costs[fn] = min(a.costs[fn]+a.costs[to], manyCalls)
			}
		}
	}
	one := func(fn *program.Function) int {
		if tails[fn] {
			return 0
		}
		return 1
	}
	for _, length := range chains(functions, a.called, one) {
		a.depth = max(a.depth, length)
	}
}

// called are the functions that fn calls.
func (a *analysis) called(fn *program.Function) []*program.Function {
	var list []*program.Function
	for _, call := range a.fns[fn].calls {
		list = append(list, call.fn)
	}
	return list
}
