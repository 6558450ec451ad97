// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"slices"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// While foreach iterates over an array, elements of it may be deleted (not with Options.AsStap), but
// not set, as that might add one.

// A walkedCall is a call in a loop over an array.
type walkedCall struct {
	array *global
	group *group
	at    syntax.Pos
}

// modified reports an element that is set in a loop over its array.
func (c *checker) modified(x program.Expr, at syntax.Pos) {
	e, ok := x.(*program.Element)
	if !ok {
		return
	}
	if slices.Contains(c.at.walked, e.Array) {
		c.errorf(e.At, "array %q can't be changed while foreach walks over it", c.globalOf[e.Array].decl.Name).
			InStap("variable '%s' modified during 'foreach' iteration", c.globalOf[e.Array].decl.Name)
	}
	if c.at.fn != nil {
		g := c.globalOf[e.Array]
		g.setters = append(g.setters, c.at.fn)
	}
}

// callInLoop records a call in a loop over an array.
func (c *checker) callInLoop(x *program.Call) {
	for _, array := range c.at.walked {
		c.walkedCalls = append(c.walkedCalls, walkedCall{c.globalOf[array], c.groupOf[x.Fn], x.At})
	}
}

// checkWalked reports the calls of functions that set elements of an array in a loop over it.
func (c *checker) checkWalked() {
	if len(c.walkedCalls) == 0 {
		return
	}
	callers := map[*group][]*group{}
	for _, f := range c.lowered {
		if f.live {
			for _, call := range f.scope.calls {
				g := c.groupOf[call.Fn]
				callers[g] = append(callers[g], f.group)
			}
		}
	}
	setting := map[*global]map[*group]bool{}
	for _, w := range c.walkedCalls {
		if setting[w.array] == nil {
			setting[w.array] = settingGroups(w.array, callers)
		}
		if setting[w.array][w.group] {
			c.errorf(w.at, "%s() changes array %q while foreach walks over it", w.group.name, w.array.decl.Name)
		}
	}
}

// settingGroups finds the functions that set elements of g, directly or in functions that they call.
func settingGroups(g *global, callers map[*group][]*group) map[*group]bool {
	found := map[*group]bool{}
	var todo []*group
	note := func(g *group) {
		if !found[g] {
			found[g] = true
			todo = append(todo, g)
		}
	}
	for _, f := range g.setters {
		note(f.group)
	}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, caller := range callers[last] {
			note(caller)
		}
	}
	return found
}
