// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// kinds is the tree of all patterns.
var kinds = &level{}

// A level is a component of patterns, with what can follow.
type level struct {
	component
	next  []*level
	build builder // nil if a probe point can't end here
}

// child is the level of a component that follows, or nil.
func (at *level) child(c component) *level {
	for _, next := range at.next {
		if next.component == c {
			return next
		}
	}
	return nil
}

// component is a component of patterns.
type component struct {
	name string
	arg  string // "", "number" or "string"
}

// String is the component as patterns spell it: name(number).
func (c component) String() string {
	if c.arg == "" {
		return c.name
	}
	return c.name + "(" + c.arg + ")"
}

// register adds a kind's patterns, each like `timer.s(number).randomize(number)`.
// It is called from the init functions of the kinds' files.
func register(build builder, patterns ...string) {
	for _, p := range patterns {
		at := kinds
		for _, part := range strings.Split(p, ".") {
			name, arg, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
			c := component{name, arg}
			next := at.child(c)
			if next == nil {
				next = &level{component: c}
				at.next = append(at.next, next)
			}
			at = next
		}
		at.build = build
	}
}

// find returns the builder for a probe point.
func find(pt *syntax.ProbePoint) (builder, *syntax.Diagnostic) {
	at := kinds
	for i, c := range pt.Components {
		key := component{c.Name, argKind(c.Arg)}
		next := at.child(key)
		if next == nil {
			return nil, at.unknown(pt, i, key)
		}
		at = next
	}
	if at.build == nil {
		last := pt.Components[len(pt.Components)-1]
		return nil, &syntax.Diagnostic{Pos: last.At,
			Msg:  fmt.Sprintf("probe point %s is not complete", probepoint.Spell(pt)),
			Hint: "it may go on with " + strings.Join(at.choices(), ", "),
			Stap: "probe point truncated (follow: " + strings.Join(at.choices(), " ") + ")"}
	}
	return at.build, nil
}

// unknown is the error for component i of pt, which can't follow the components before it.
func (at *level) unknown(pt *syntax.ProbePoint, i int, key component) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: pt.Components[i].At}
	var names, forms []string
	for _, c := range at.next {
		names = append(names, c.name)
		if c.name == key.name {
			forms = append(forms, c.String())
		}
	}
	sort.Strings(forms)
	sort.Strings(names)
	names = slices.Compact(names)
	d.InStap("probe point mismatch%s", suggest.Similar("", suggest.Nearest(key.name, names, 5)))
	if len(forms) > 0 {
		d.Msg = fmt.Sprintf("probe point component %s is written %s here", key, strings.Join(forms, " or "))
		return d
	}
	if i == 0 {
		d.Msg = fmt.Sprintf("no probe point or alias begins with %q", key.name)
	} else {
		d.Msg = fmt.Sprintf("%q can't follow %s in a probe point", key.name, probepoint.Spell(&syntax.ProbePoint{Components: pt.Components[:i]}))
	}
	d.Hint = suggest.Hint(key.name, names)
	if d.Hint == "" && len(at.next) > 0 {
		d.Hint = "what can stand here: " + strings.Join(at.choices(), ", ")
	}
	return d
}

func (at *level) choices() []string {
	var list []string
	for _, c := range at.next {
		list = append(list, c.String())
	}
	sort.Strings(list)
	return list
}

// A Component is a component that can stand next in a probe point.
type Component struct {
	Name string
	Arg  string // the kind of its argument: "", "number" or "string"
}

// Next returns the components that can follow others in a probe point; ok is
// false if those can't begin one.
func Next(components []Component) (next []Component, ok bool) {
	at := kinds
	for _, c := range components {
		if at = at.child(component{c.Name, c.Arg}); at == nil {
			return nil, false
		}
	}
	for _, c := range at.next {
		next = append(next, Component{c.name, c.arg})
	}
	return next, true
}
