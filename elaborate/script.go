// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"

	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// A script is what pn() returns: the name of the first alias on the path to the site, and the
// suffix behind it, without wildcards.
type script struct {
	name   []*syntax.Component // the alias's
	suffix []*syntax.Component
	before int // how many components the alias's point has before the suffix
}

// through returns s extended by the alias that m found, for pt, one of the alias's points.
func (s script) through(m match, pt *syntax.ProbePoint) script {
	switch {
	case s.name == nil:
		return script{m.decl.Name.Components, m.suffix, len(pt.Components) - len(m.suffix)}
	case isWild(&syntax.ProbePoint{Components: s.suffix}):
		// nd_syscall.* is syscall.*, which is syscall.open: nd_syscall.open.
		found := append(slices.Clip(m.decl.Name.Components), m.suffix...)
		if len(found) > s.before {
			s.suffix = found[s.before:]
		}
	}
	return s
}

// String spells s, "" if it is none.
func (s script) String() string {
	return probepoint.Spell(&syntax.ProbePoint{Components: append(slices.Clip(s.name), s.suffix...)})
}
