// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"

	"gostap/elaborate/probepoint"
	"gostap/elaborate/probetype"
	"gostap/translator/syntax"
)

// A path is how a probe of the script leads to a probe point: through which aliases.
type path struct {
	script  script          // what pn() says, nothing without aliases
	bodies  []*syntax.Block // the bodies that run, in this order
	conds   []syntax.Expr
	through []*syntax.AliasDecl
}

// alias returns p extended by the alias that m found, for pt, one of the alias's points.
func (p path) alias(m match, pt *syntax.ProbePoint) path {
	decl := m.decl
	next := path{script: p.script.through(m, pt), conds: p.conds, through: append(slices.Clip(p.through), decl)}
	if pt.Cond != nil {
		next.conds = append(slices.Clip(p.conds), pt.Cond)
	}
	if !decl.Epilogue {
		next.bodies = append(next.bodies, decl.Body)
	}
	next.bodies = append(next.bodies, p.bodies...)
	if decl.Epilogue {
		next.bodies = append(next.bodies, decl.Body)
	}
	if decl.After != nil {
		next.bodies = append(next.bodies, decl.After)
	}
	return next
}

// A reached is a probe site with the path that leads to it, which says what runs there.
type reached struct {
	site *probetype.ProbeSite
	path path
}

// points finds the sites that a list of probe points stands for. Those marked
// ? or ! may stand for none; after one marked ! that has a site, the rest of
// the list is left out.
func (el *elaboration) points(list []*syntax.ProbePoint, p path, follow func(*syntax.ProbePoint) path) []reached {
	var all []reached
	for _, pt := range list {
		found, d := el.point(pt, follow(pt))
		if d != nil && !pt.Optional {
			d.Unprobed = true
			el.diags = append(el.diags, d)
		}
		all = append(all, found...)
		if pt.Sufficient && len(found) > 0 {
			break
		}
	}
	return all
}

// point finds the sites that one probe point stands for.
func (el *elaboration) point(pt *syntax.ProbePoint, p path) ([]reached, *syntax.Diagnostic) {
	el.at = pt.At
	matches := el.match(pt)
	wild := isWild(pt)
	if optional := el.kinds.Optional; wild || pt.Optional {
		el.kinds.Optional = true
		defer func() { el.kinds.Optional = optional }()
	}
	if len(matches) == 0 && !wild {
		sites, known, d := el.kinds.Find(pt)
		if !known {
			return nil, el.orAlias(d, pt)
		}
		return at(sites, p), d
	}
	var all []reached
	var first *syntax.Diagnostic
	if wild {
		all, first = el.wildSites(pt, p)
	}
	for _, m := range matches {
		if el.through++; el.through > maxAliases {
			return nil, el.tooManyAliases(pt)
		}
		if slices.Contains(p.through, m.decl) {
			return nil, &syntax.Diagnostic{Pos: m.decl.At, Msg: "probe alias " + probepoint.Spell(m.decl.Name) + " leads back to itself"}
		}
		el.include(m.file)
		before := len(el.diags)
		found := el.points(suffixed(m.decl.Points, m.suffix), p,
			func(to *syntax.ProbePoint) path { return p.alias(m, to) })
		if wild || pt.Optional {
			// One of several matches: it may fail as long as another leads to a site.
			if first == nil && len(el.diags) > before {
				first = el.diags[before]
			}
			el.diags = el.diags[:before]
		}
		all = append(all, found...)
	}
	if len(all) == 0 && wild {
		if first == nil {
			first = &syntax.Diagnostic{Pos: pt.At, Msg: "no probe point or alias matches " + probepoint.Spell(pt)}
		}
		return nil, first
	}
	return all, nil
}

// wildSites finds the sites that a probe point with wildcards stands for, without aliases. Those that
// can't be probed are left out; d is the first error.
func (el *elaboration) wildSites(pt *syntax.ProbePoint, p path) (all []reached, d *syntax.Diagnostic) {
	for _, one := range probetype.Expand(pt) {
		before := len(el.diags)
		sites, _, why := el.kinds.Find(one)
		el.diags = el.diags[:before]
		if d == nil {
			d = why
		}
		all = append(all, at(sites, p)...)
	}
	return all, d
}

// at pairs sites with the path that leads to them.
func at(sites []*probetype.ProbeSite, p path) (all []reached) {
	for _, site := range sites {
		all = append(all, reached{site, p})
	}
	return all
}

// maxAliases bounds the aliases that a probe goes through: their number is exponential if
// each stands for another one twice.
const maxAliases = 100000

// tooManyAliases is the error for a probe that goes through more, nil if it has been reported.
func (el *elaboration) tooManyAliases(pt *syntax.ProbePoint) *syntax.Diagnostic {
	if el.through > maxAliases+1 {
		return nil
	}
	el.kinds.Broken = syntax.Errorf(pt.At, "this probe goes through more than %d aliases", maxAliases)
	return el.kinds.Broken
}

// suffixed returns points, each with suffix appended.
func suffixed(points []*syntax.ProbePoint, suffix []*syntax.Component) []*syntax.ProbePoint {
	if len(suffix) == 0 {
		return points
	}
	var out []*syntax.ProbePoint
	for _, pt := range points {
		longer := *pt
		longer.Components = append(slices.Clip(pt.Components), suffix...)
		out = append(out, &longer)
	}
	return out
}
