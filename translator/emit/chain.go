// SPDX-License-Identifier: GPL-2.0-or-later

package emit

// chains finds the longest chains of calls, as a sum of what each function weighs. Functions that call each other in
// circles count as one that weighs as much as all of them. The circles are found by Tarjan's algorithm: one is complete when
// the first of it that was visited is left.
type chains[F comparable] struct {
	calls  func(F) []F
	weight func(F) int
	number map[F]int // in the order of visits, from 1
	low    map[F]int // the lowest number of the same circle that is known to be reached
	stack  []F       // visited, and their circles not complete
	done   map[F]int // of complete circles: the longest chain from there on
}

func newChains[F comparable](calls func(F) []F, weight func(F) int) *chains[F] {
	return &chains[F]{calls: calls, weight: weight, number: map[F]int{}, low: map[F]int{}, done: map[F]int{}}
}

// longest returns the longest chain that begins at one of roots.
func (c *chains[F]) longest(roots ...F) int {
	longest := 0
	for _, f := range roots {
		if c.number[f] == 0 {
			c.visit(f)
		}
		longest = max(longest, c.done[f])
	}
	return longest
}

func (c *chains[F]) visit(f F) {
	c.number[f] = len(c.number) + 1
	c.low[f] = c.number[f]
	at := len(c.stack)
	c.stack = append(c.stack, f)
	for _, g := range c.calls(f) {
		if c.number[g] == 0 {
			c.visit(g)
		}
		if _, complete := c.done[g]; !complete {
			c.low[f] = min(c.low[f], c.low[g])
		}
	}
	if c.low[f] < c.number[f] {
		return
	}
	circle := c.stack[at:]
	c.stack = c.stack[:at]
	own, below := 0, 0
	for _, g := range circle {
		own += c.weight(g)
		for _, h := range c.calls(g) {
			below = max(below, c.done[h]) // 0 within the circle
		}
	}
	for _, g := range circle {
		c.done[g] = own + below
	}
}
