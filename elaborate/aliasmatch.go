// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"
	"strings"

	"gostap/elaborate/library"
	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// An alias is one declared probe alias, with the file it stands in.
type alias struct {
	file *syntax.File
	decl *syntax.AliasDecl
}

// A match is an alias that a probe point begins with, and the components
// behind the alias's name, which go to the points that the alias stands for.
type match struct {
	alias
	suffix []*syntax.Component
}

// refuseArguments reports, called as stap, an alias whose name has an argument.
func (el *elaboration) refuseArguments(d *syntax.AliasDecl) {
	for _, c := range d.Name.Components {
		if c.Arg != nil && el.env.Target.AsStap {
			el.diags.Errorf(d.At, "the alias's component %s has an argument: called as stap, none may have one", c.Name).
				InStap("alias component %s contains illegal parameter", c.Name)
		}
	}
}

// isWild reports whether a component's name has wildcards.
func isWild(pt *syntax.ProbePoint) bool {
	return slices.ContainsFunc(pt.Components, func(c *syntax.Component) bool { return strings.Contains(c.Name, "*") })
}

// match returns the aliases that pt begins with. The components after an alias's name are a
// suffix, unless a longer alias's name includes them: if syscall.open.return is an alias,
// it is not syscall.open with a suffix.
func (el *elaboration) match(pt *syntax.ProbePoint) []match {
	var matches []match
	look := func(a alias) {
		if suffix, ok := probepoint.BeginsWith(pt.Components, probepoint.Name(a.decl)); ok && !el.goesOn(a, suffix) {
			matches = append(matches, match{a, suffix})
		}
	}
	for _, a := range el.aliases {
		look(a)
	}
	for _, candidate := range el.lib.Candidates(pt) {
		file, decl := candidate.Declaration()
		look(alias{file, decl})
	}
	return matches
}

// goesOn reports whether there is an alias whose name is that of a, continued by components of suffix.
func (el *elaboration) goesOn(a alias, suffix []*syntax.Component) bool {
	if len(suffix) == 0 {
		return false
	}
	want := append(slices.Clip(a.decl.Name.Components), suffix[0])
	longer := func(b *syntax.AliasDecl) bool {
		name := probepoint.Name(b)
		if len(name) < len(want) {
			return false
		}
		rest, ok := probepoint.BeginsWith(want, name[:len(want)])
		return ok && len(rest) == 0
	}
	return slices.ContainsFunc(el.aliases, func(b alias) bool { return longer(b.decl) }) ||
		slices.ContainsFunc(el.lib.Below(a.decl.Name), func(b *library.Alias) bool {
			_, decl := b.Declaration()
			return longer(decl)
		})
}
