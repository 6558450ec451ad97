// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"sort"
	"strings"

	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// List returns the probe points that patterns stand for, as -l prints them:
// the names of aliases, else of places. With variables, as for -L, the target
// variables there follow each, with their types.
//
//	points, diags := syntax.ParseProbePoint(`kernel.function("vfs_*")`, env)
//	listed, diags := elaborate.List(points, library, target, true)
func List(patterns []*syntax.ProbePoint, lib *Library, target *Target, variables bool) ([]Listed, syntax.Diagnostics) {
	s := newSession(lib, target)
	defer panics.At(&s.at)
	seen := map[string]bool{}
	var all []Listed
	for _, pt := range patterns {
		for _, l := range s.list(pt, variables) {
			if text := l.String(); !seen[text] {
				seen[text] = true
				all = append(all, l)
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	return all, s.diags
}

// Listed is a probe point, and the variables there.
type Listed struct {
	Point     string
	Variables []Variable `json:",omitempty"`
}

// A Variable is a target variable.
type Variable struct {
	Name string // "$count"
	Type string // "size_t"
}

// String spells it as -L does: the point, and the variables behind it.
func (l Listed) String() string {
	text := l.Point
	for _, v := range l.Variables {
		text += " " + v.Name + ":" + v.Type
	}
	return text
}

// list returns what one pattern stands for.
func (s *session) list(pt *syntax.ProbePoint, variables bool) []Listed {
	var lines []Listed
	aliases := s.match(pt)
	for _, m := range aliases {
		found, _ := s.point(&syntax.ProbePoint{At: pt.At, Components: m.decl.Name.Components, Optional: true}, path{})
		if len(found) > 0 {
			lines = append(lines, line(spell(m.decl.Name), found[0].place, variables))
		}
	}
	if len(aliases) > 0 {
		return lines
	}
	found, d := s.point(pt, path{})
	if d != nil && !pt.Optional {
		s.diags = append(s.diags, d)
	}
	for _, r := range found {
		lines = append(lines, line(r.place.Point.Name, r.place, variables))
	}
	return lines
}

func line(name string, place *Place, variables bool) Listed {
	l := Listed{Point: name}
	if !variables || place.Vars == nil {
		return l
	}
	for _, v := range place.Vars.List() {
		name, typ, _ := strings.Cut(v, ":")
		l.Variables = append(l.Variables, Variable{name, typ})
	}
	return l
}
