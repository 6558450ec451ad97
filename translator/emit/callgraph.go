// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import "slices"

// stronglyConnected returns the strongly connected components of the call graph reachable from roots,
// callees first; most have a single function. It is Tarjan's algorithm: a component is complete when
// the function of it that was visited first is left.
func stronglyConnected[F comparable](roots []F, calls func(F) []F) [][]F {
	var complete [][]F
	var stack []F         // visited, in components that are not complete
	number := map[F]int{} // in the order of visits, from 1
	low := map[F]int{}    // the lowest number in the same component that is known to be reachable
	done := map[F]bool{}  // in a complete component
	var visit func(f F)
	visit = func(f F) {
		number[f] = len(number) + 1
		low[f] = number[f]
		at := len(stack)
		stack = append(stack, f)
		for _, g := range calls(f) {
			if number[g] == 0 {
				visit(g)
			}
			if !done[g] {
				low[f] = min(low[f], low[g])
			}
		}
		if low[f] < number[f] {
			return
		}
		component := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, g := range component {
			done[g] = true
		}
		complete = append(complete, component)
	}
	for _, f := range roots {
		if number[f] == 0 {
			visit(f)
		}
	}
	return complete
}

// chains returns the longest chain of calls from each function that is reachable from roots, as the sum
// of the functions' weights. A component counts as one function with the weight of its functions.
func chains[F comparable](roots []F, calls func(F) []F, weight func(F) int) map[F]int {
	longest := map[F]int{}
	for _, component := range stronglyConnected(roots, calls) {
		own, below := 0, 0
		for _, f := range component {
			own += weight(f)
			for _, g := range calls(f) {
				below = max(below, longest[g]) // 0 within the component
			}
		}
		for _, f := range component {
			longest[f] = own + below
		}
	}
	return longest
}
