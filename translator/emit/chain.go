// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import "slices"

// circles returns the functions that roots lead to, in circles of those that call each other, each circle behind those that it
// calls; most are of one function. They are found by Tarjan's algorithm: a circle is complete when the first of it that was
// visited is left.
func circles[F comparable](roots []F, calls func(F) []F) [][]F {
	var complete [][]F
	var stack []F         // visited, and their circles not complete
	number := map[F]int{} // in the order of visits, from 1
	low := map[F]int{}    // the lowest number of the same circle that is known to be reached
	done := map[F]bool{}  // in a complete circle
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
		circle := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, g := range circle {
			done[g] = true
		}
		complete = append(complete, circle)
	}
	for _, f := range roots {
		if number[f] == 0 {
			visit(f)
		}
	}
	return complete
}

// chains returns the longest chain of calls from each function that roots lead to, as a sum of what each function weighs.
// A circle counts as one that weighs as much as all of it.
func chains[F comparable](roots []F, calls func(F) []F, weight func(F) int) map[F]int {
	longest := map[F]int{}
	for _, circle := range circles(roots, calls) {
		own, below := 0, 0
		for _, f := range circle {
			own += weight(f)
			for _, g := range calls(f) {
				below = max(below, longest[g]) // 0 within the circle
			}
		}
		for _, f := range circle {
			longest[f] = own + below
		}
	}
	return longest
}
