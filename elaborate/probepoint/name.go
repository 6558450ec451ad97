// SPDX-License-Identifier: GPL-2.0-or-later

package probepoint

import (
	"strings"

	"gostap/internal/glob"
	"gostap/translator/syntax"
)

// A NamePart is one component of an alias's name.
type NamePart struct {
	Name   string
	Arg    syntax.Expr
	AnyArg bool // the argument is not known, and any fits
}

// Name splits the name of a declared alias.
func Name(decl *syntax.AliasDecl) []NamePart {
	parts := make([]NamePart, len(decl.Name.Components))
	for i, c := range decl.Name.Components {
		parts[i] = NamePart{Name: c.Name, Arg: c.Arg}
	}
	return parts
}

// BeginsWith reports whether the components of a probe point begin with an
// alias's name, and returns the others: as few as possible, if ** leaves a
// choice.
func BeginsWith(cs []*syntax.Component, name []NamePart) (suffix []*syntax.Component, ok bool) {
	if len(name) == 0 {
		return cs, true
	}
	if len(cs) == 0 {
		return nil, false
	}
	if !strings.Contains(cs[0].Name, "**") {
		if glob.MatchComponents(cs[0].Name, name[0].Name) && (name[0].AnyArg || sameArg(cs[0].Arg, name[0].Arg)) {
			return BeginsWith(cs[1:], name[1:])
		}
		return nil, false
	}
	covered := ""
	for i, part := range name {
		if part.Arg != nil || cs[0].Arg != nil {
			break // ** matches names without arguments only
		}
		covered += part.Name
		if glob.MatchComponents(cs[0].Name, covered) {
			rest, fits := BeginsWith(cs[1:], name[i+1:])
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
