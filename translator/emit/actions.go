// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"

	"gostap/translator/program"
)

// c->actions is the number of actions that a handler has left. It is set by handlers that count
// actions, or that call functions which do. A function that counts actions keeps the number in a local
// variable, `actions`, which is in a register during its loops, and stores it at calls and at its end.

// counts reports whether the code that s summarizes counts actions itself: it has loops, or calls
// functions that may recurse.
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

// action counts one iteration of a loop or one call of a recursive function.
func (b *body) action(near string) {
	if b.counts {
		b.raise(fmt.Sprintf("!gs_action(&actions) && !gs_more_actions(c, &actions, %s)", near), "too_many_actions", near)
	}
}

// passActions writes what precedes a call of fn, and returns a function that writes what follows the
// call.
func (b *body) passActions(fn *program.Function) (after func()) {
	if !b.counts || !b.g.countsWithin(fn) {
		return func() {}
	}
	b.returnActions()
	return func() { b.line("actions = c->actions;") }
}

// returnActions writes what precedes the end of a function.
func (b *body) returnActions() {
	if b.counts {
		b.line("c->actions = actions;")
	}
}

// countsWithin reports whether fn, or a function that it calls, counts actions.
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

// callsCounting reports whether the code that s summarizes calls functions that count actions.
func (g *gen) callsCounting(s *summary) bool {
	return slices.ContainsFunc(s.calls, func(call callSite) bool { return g.countsWithin(call.fn) })
}

// setActions writes the number of actions that a handler has.
func (g *gen) setActions(w *writer, h *handler) {
	n := g.opts.Limits.cold()
	switch {
	case h.part == condPart:
		n = min(n, maxHotActions)
	case h.phase == running:
		n = g.opts.Limits.hot()
	}
	w.line("gs_set_actions(c, %d);", n)
}

// work charges n steps of work on whole arrays; if there are none left, it raises an error.
func (b *body) work(n, near string) {
	b.open("if (gs_unlikely(!gs_work(c, %s, %s))) {", n, near)
	b.line("%s;", b.fail())
	b.close("}")
}
