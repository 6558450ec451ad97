// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"

	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/probetype"
	"gostap/elaborate/vars"
	"gostap/translator/syntax"
)

// An Expander finds the sites that probe points stand for, without handlers,
// for gostap -l, gostap vars and completion.
type Expander struct {
	el *elaboration
}

// NewExpander returns an Expander for probe points on a target.
func NewExpander(lib *library.Library, target *image.Target) *Expander {
	return &Expander{newElaboration(lib, target)}
}

// Anywhere resolves expressions that don't depend on a probe site, such as @cast.
func (x *Expander) Anywhere() *vars.Resolver { return x.el.anywhere }

// Aliases returns the names of the aliases that a probe point stands for, with its suffix appended.
// Aliases may stand for others: syscall.open.return is syscall.open with a suffix.
func (x *Expander) Aliases(pt *syntax.ProbePoint) (names []*syntax.ProbePoint) {
	x.el.at = pt.At
	return x.aliases(pt, maxListed)
}

// maxListed bounds the depth of aliases that stand for aliases.
const maxListed = 8

func (x *Expander) aliases(pt *syntax.ProbePoint, depth int) (names []*syntax.ProbePoint) {
	for _, m := range x.el.match(pt) {
		name := m.decl.Name.Components
		if len(m.suffix) == 0 {
			names = append(names, m.decl.Name)
			continue
		}
		// The suffix may complete the name of another alias.
		found := len(names)
		for i, to := range suffixed(m.decl.Points, m.suffix) {
			if depth == 0 {
				break
			}
			for _, further := range x.aliases(to, depth-1) {
				if n := len(m.decl.Points[i].Components); len(further.Components) > n {
					names = append(names, &syntax.ProbePoint{At: pt.At, Components: append(slices.Clip(name), further.Components[n:]...)})
				}
			}
		}
		if suffix := (&syntax.ProbePoint{Components: m.suffix}); len(names) == found && !isWild(suffix) {
			names = append(names, &syntax.ProbePoint{At: pt.At, Components: append(slices.Clip(name), m.suffix...)})
		}
	}
	return names
}

// Sites returns the sites that a probe point stands for.
func (x *Expander) Sites(pt *syntax.ProbePoint) ([]*probetype.ProbeSite, *syntax.Diagnostic) {
	found, d := x.el.point(pt, path{})
	sites := make([]*probetype.ProbeSite, len(found))
	for i, r := range found {
		sites[i] = r.site
	}
	return sites, d
}

// Diagnostics returns the warnings and errors so far.
func (x *Expander) Diagnostics() syntax.Diagnostics { return x.el.diags }

// At is the position of the probe point that is being expanded, for reports of
// panics.
func (x *Expander) At() *syntax.Pos { return &x.el.at }
