// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/internal/glob"
	"gostap/translator/syntax"
)

// A match is an alias that a probe point begins with, and the components
// behind the alias's name, which go to the points that the alias stands for.
type match struct {
	alias
	suffix []*syntax.Component
}

// isWild reports whether a component's name has wildcards.
func isWild(pt *syntax.ProbePoint) bool {
	return slices.ContainsFunc(pt.Components, func(c *syntax.Component) bool { return strings.Contains(c.Name, "*") })
}

// match returns the aliases that pt begins with. What follows the name is a
// suffix unless another alias's name goes on with it: beside syscall.open and
// syscall.open.return, syscall.open.return is the second alone.
func (el *elaboration) match(pt *syntax.ProbePoint) []match {
	var matches []match
	for _, a := range el.aliases {
		if suffix, ok := beginsWith(pt.Components, nameOf(a.decl)); ok && !el.goesOn(a, suffix) {
			matches = append(matches, match{a, suffix})
		}
	}
	for _, candidate := range el.lib.candidates(pt) {
		a := candidate.alias()
		if suffix, ok := beginsWith(pt.Components, nameOf(a.decl)); ok && !el.goesOn(a, suffix) {
			matches = append(matches, match{a, suffix})
		}
	}
	return matches
}

// goesOn reports whether there is an alias whose name is that of a and what suffix begins with.
func (el *elaboration) goesOn(a alias, suffix []*syntax.Component) bool {
	if len(suffix) == 0 {
		return false
	}
	pt := &syntax.ProbePoint{Components: append(slices.Clip(a.decl.Name.Components), suffix[0])}
	longer := func(b alias) bool {
		name := nameOf(b.decl)
		if len(name) < len(pt.Components) {
			return false
		}
		rest, ok := beginsWith(pt.Components, name[:len(pt.Components)])
		return ok && len(rest) == 0
	}
	if slices.ContainsFunc(el.aliases, longer) {
		return true
	}
	prefix := probepoint.Spell(a.decl.Name) + "."
	return slices.ContainsFunc(el.lib.beginning[pt.Components[0].Name], func(b *libraryAlias) bool {
		return strings.HasPrefix(b.name, prefix) && longer(b.alias())
	})
}

// A part of a name is one component of an alias's name.
type namePart struct {
	name string
	arg  syntax.Expr
	any  bool // the argument is not known
}

func nameOf(decl *syntax.AliasDecl) []namePart {
	parts := make([]namePart, len(decl.Name.Components))
	for i, c := range decl.Name.Components {
		parts[i] = namePart{name: c.Name, arg: c.Arg}
	}
	return parts
}

// beginsWith reports whether the components of a probe point begin with an
// alias's name, and returns those behind it: as few as can be, where ** leaves a
// choice.
func beginsWith(cs []*syntax.Component, name []namePart) (suffix []*syntax.Component, ok bool) {
	if len(name) == 0 {
		return cs, true
	}
	if len(cs) == 0 {
		return nil, false
	}
	if !strings.Contains(cs[0].Name, "**") {
		if glob.MatchComponents(cs[0].Name, name[0].name) && (name[0].any || sameArg(cs[0].Arg, name[0].arg)) {
			return beginsWith(cs[1:], name[1:])
		}
		return nil, false
	}
	covered := ""
	for i, part := range name {
		if part.arg != nil || cs[0].Arg != nil {
			break // it stands for names alone
		}
		covered += part.name
		if glob.MatchComponents(cs[0].Name, covered) {
			rest, fits := beginsWith(cs[1:], name[i+1:])
			if fits && (!ok || len(rest) < len(suffix)) {
				suffix, ok = rest, true
			}
		}
		covered += "."
	}
	return suffix, ok
}

func sameArg(a, b syntax.Expr) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case *syntax.NumberLit:
		n, ok := b.(*syntax.NumberLit)
		return ok && n.Value == a.Value
	case *syntax.StringLit:
		t, ok := b.(*syntax.StringLit)
		return ok && t.Value == a.Value
	}
	return false
}
