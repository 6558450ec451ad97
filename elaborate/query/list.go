// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"sort"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/probetype"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// List returns the probe points that patterns stand for, as -l prints them:
// the names of aliases, else of sites. With variables, as for -L, what an alias
// gives and the target variables there follow each, with their types.
//
//	points, diags := syntax.ParseProbePoint(`kernel.function("vfs_*")`, env)
//	listed, diags := query.List(points, library, target, true)
func List(patterns []*syntax.ProbePoint, lib *library.Library, target *image.Target, variables bool) ([]Listed, syntax.Diagnostics) {
	x := elaborate.NewExpander(lib, target)
	defer panics.At(x.At())
	seen := map[string]bool{}
	var all []Listed
	var diags syntax.Diagnostics
	for _, pt := range patterns {
		found, d := list(x, pt, lib, target, variables)
		if d != nil {
			diags = append(diags, d)
		}
		for _, l := range found {
			if text := l.String(); !seen[text] {
				seen[text] = true
				all = append(all, l)
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	return all, append(x.Diagnostics(), diags...)
}

// Listed is a probe point, and the variables there.
type Listed struct {
	Point     string
	Variables []Variable `json:",omitempty"`
}

// A Variable is a target variable, or one that an alias sets.
type Variable struct {
	Name string // "$count", "pathname"
	Type string // "size_t", "string"
}

// String spells it as -L does: the point, and the variables behind it.
func (l Listed) String() string {
	text := l.Point
	for _, v := range l.Variables {
		text += " " + v.Name + ":" + v.Type
	}
	return text
}

// list returns the probe points that one pattern stands for.
func list(x *elaborate.Expander, pt *syntax.ProbePoint, lib *library.Library, target *image.Target, variables bool) (lines []Listed, d *syntax.Diagnostic) {
	aliases := x.Aliases(pt)
	for _, name := range aliases {
		found, _ := x.Sites(&syntax.ProbePoint{At: pt.At, Components: name.Components, Optional: true})
		if len(found) > 0 {
			l := line(probepoint.Spell(name), found[0], variables)
			if variables {
				l.Variables = append(aliasVariables(name, lib, target), l.Variables...)
			}
			lines = append(lines, l)
		}
	}
	points := probetype.Expand(pt)
	if len(aliases) == 0 && len(points) == 0 {
		points = append(points, pt)
	}
	for _, one := range points {
		found, why := x.Sites(one)
		if d == nil && !pt.Optional {
			d = why
		}
		for _, site := range found {
			lines = append(lines, line(site.Point.Name, site, variables))
		}
	}
	if len(lines) > 0 {
		d = nil
	}
	return lines, d
}

func line(name string, site *probetype.ProbeSite, variables bool) Listed {
	l := Listed{Point: name}
	if !variables || site.Vars == nil {
		return l
	}
	for _, v := range site.Vars.List() {
		l.Variables = append(l.Variables, Variable{"$" + v.Name, v.Type})
	}
	return l
}
