// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"

	"gostap/translator/program"
)

// How many actions a handler has left is c->actions, which a handler sets that
// counts some, or calls what does. A function that counts
// some keeps that in a variable of its own, `actions`, which is in a register
// during its loops, and hands it on at its calls and at its end.

// counts reports whether code that s sums up counts actions by itself: it
// loops, or calls a function that may recurse.
func (g *gen) counts(s *summary) bool {
	if g.opts.Limits.SuppressTimeLimits {
		return false
	}
	if s.loops {
		return true
	}
	for _, call := range s.calls {
		if g.counted(call.fn) {
			return true
		}
	}
	return false
}

// action counts one turn of a loop or one call of a recursive function.
func (b *body) action(near string) {
	if b.counts {
		b.raise(fmt.Sprintf("!gs_action(&actions) && !gs_more_actions(c, &actions, %s)", near), "too_many_actions", near)
	}
}

// lendActions stands before a call of fn and returns what stands behind it.
func (b *body) lendActions(fn *program.Function) (after func()) {
	if !b.counts || !b.g.countsWithin(fn) {
		return func() {}
	}
	b.returnActions()
	return func() { b.line("actions = c->actions;") }
}

// returnActions stands before the end of a function.
func (b *body) returnActions() {
	if b.counts {
		b.line("c->actions = actions;")
	}
}

// countsWithin reports whether fn counts actions, or what it calls.
func (g *gen) countsWithin(fn *program.Function) bool {
	if g.counting == nil {
		g.counting = map[*program.Function]bool{}
		for changed := true; changed; {
			changed = false
			for _, f := range g.p.Functions {
				if !g.counting[f] && (g.counts(g.a.fns[f]) || g.callsCounted(g.a.fns[f])) {
					g.counting[f] = true
					changed = true
				}
			}
		}
	}
	return g.counting[fn]
}

func (g *gen) callsCounted(s *summary) bool {
	for _, call := range s.calls {
		if g.counting[call.fn] {
			return true
		}
	}
	return false
}

// callsCounting reports whether code that s sums up calls functions that count.
func (g *gen) callsCounting(s *summary) bool {
	return slices.ContainsFunc(s.calls, func(call callSite) bool { return g.countsWithin(call.fn) })
}

// setActions writes how many a handler may do.
func (g *gen) setActions(w *writer, h *handler) {
	n := g.opts.Limits.cold()
	switch {
	case h.part == condPart:
		n = min(n, mostActions)
	case h.phase == running:
		n = g.opts.Limits.hot()
	}
	w.line("gs_set_actions(c, %d);", n)
}

// work charges n steps of work on whole arrays, or leaves with an error.
func (b *body) work(n, near string) {
	b.open("if (gs_unlikely(!gs_work(c, %s, %s))) {", n, near)
	b.line("%s;", b.fail())
	b.close("}")
}
