// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"slices"
	"sort"
	"strings"

	"gostap/internal/glob"
	"gostap/translator/syntax"
)

// // Expand expands wildcards in the names of pt's components, if it has any: kerne*.funct*("f").* is kernel.function("f").call,
// kernel.function("f").return and so on. Aliases are not among them.
func Expand(pt *syntax.ProbePoint) (points []*syntax.ProbePoint) {
	wild := false
	for _, c := range pt.Components {
		wild = wild || strings.Contains(c.Name, "*")
	}
	if wild {
		kinds.expand(pt, nil, pt.Components, &points)
	}
	return points
}

// expand expands rest behind before, the components that lead to at.
func (at *level) expand(pt *syntax.ProbePoint, before, rest []*syntax.Component, points *[]*syntax.ProbePoint) {
	if len(rest) == 0 {
		if at.build != nil {
			one := *pt
			one.Components = before
			*points = append(*points, &one)
		}
		return
	}
	c := rest[0]
	if strings.Contains(c.Name, "**") {
		at.expandDeep(pt, before, rest, "", points)
		return
	}
	for _, next := range at.sorted() {
		if next.arg == argKind(c.Arg) && glob.MatchComponents(c.Name, next.name) {
			next.expand(pt, append(before[:len(before):len(before)], named(c, next.name)), rest[1:], points)
		}
	}
}

// expandDeep expands ** in the first component of rest to one or more components; covered are
// the names of those so far.
func (at *level) expandDeep(pt *syntax.ProbePoint, before, rest []*syntax.Component, covered string, points *[]*syntax.ProbePoint) {
	if rest[0].Arg != nil {
		return
	}
	for _, next := range at.sorted() {
		if next.arg != "" {
			continue
		}
		names := covered + next.name
		longer := append(before[:len(before):len(before)], named(rest[0], next.name))
		if glob.MatchComponents(rest[0].Name, names) {
			next.expand(pt, longer, rest[1:], points)
		}
		next.expandDeep(pt, longer, rest, names+".", points)
	}
}

// named returns c with another name.
func named(c *syntax.Component, name string) *syntax.Component {
	other := *c
	other.Name = name
	return &other
}

// sorted returns what can come next, in a fixed order.
func (at *level) sorted() []*level {
	list := slices.Clone(at.next)
	sort.Slice(list, func(i, j int) bool { return list[i].String() < list[j].String() })
	return list
}

// argKind returns the type of a component's argument, as patterns spell it.
func argKind(arg syntax.Expr) string {
	switch arg.(type) {
	case *syntax.NumberLit:
		return "number"
	case *syntax.StringLit:
		return "string"
	}
	return ""
}

// Patterns returns the patterns of all kinds of probe points, sorted: begin(number), kernel.function(string).call.
func Patterns() []string {
	var patterns []string
	kinds.patterns("", &patterns)
	sort.Strings(patterns)
	return patterns
}

func (at *level) patterns(before string, patterns *[]string) {
	for _, next := range at.next {
		if next.build != nil {
			*patterns = append(*patterns, before+next.String())
		}
		next.patterns(before+next.String()+".", patterns)
	}
}
