// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"sort"
	"strings"

	"gostap/translator/syntax"
)

// List returns the probe points that patterns stand for, as -l prints them:
// the names of aliases, else of places. With variables, as for -L, the target
// variables there follow each, with their types.
//
//	points, diags := syntax.ParseProbePoint(`kernel.function("vfs_*")`, env)
//	lines, diags := elaborate.List(points, library, target, true)
func List(patterns []*syntax.ProbePoint, lib *Library, target *Target, variables bool) ([]string, syntax.Diagnostics) {
	s := newSession(lib, target)
	seen := map[string]bool{}
	var lines []string
	for _, pt := range patterns {
		for _, l := range s.list(pt, variables) {
			if !seen[l] {
				seen[l] = true
				lines = append(lines, l)
			}
		}
	}
	sort.Strings(lines)
	return lines, s.diags
}

// list returns the lines of one pattern.
func (s *session) list(pt *syntax.ProbePoint, variables bool) []string {
	var lines []string
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

func line(name string, place *Place, variables bool) string {
	if !variables || place.Vars == nil {
		return name
	}
	return strings.Join(append([]string{name}, place.Vars.List()...), " ")
}
