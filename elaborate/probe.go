// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"gostap/internal/panics"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// Elaborate finds the places of the probes in user, the user's files, and what
// they need of the library.
func Elaborate(user []*syntax.File, lib *Library, target *Target) (*program.Elaborated, syntax.Diagnostics) {
	s := newSession(lib, target)
	defer panics.At(&s.at)
	for _, file := range user {
		s.include(file)
	}
	// Following one probe may include a file that has more.
	for len(s.pending) > 0 {
		decl := s.pending[0]
		s.pending = s.pending[1:]
		s.probe(decl)
	}
	if s.broken != nil && s.diags.Err() == nil {
		s.diags = append(s.diags, s.broken)
	}
	if len(s.out.Probes) == 0 && s.diags.Err() == nil {
		s.diags.Errorf(syntax.Pos{}, "the script has no probes").Hint = `a probe is written: probe begin { println("hello") }`
	}
	return s.out, s.diags
}

func newSession(lib *Library, target *Target) *session {
	return &session{
		lib:       lib,
		target:    target,
		out:       &program.Elaborated{Values: map[syntax.Expr]*program.Value{}},
		anywhere:  target.anywhere(),
		included:  map[*syntax.File]bool{},
		functions: map[string][]function{},
		followed:  map[*syntax.FunctionDecl]bool{},
		globals:   map[string]bool{},
		targets:   map[*syntax.Block]bool{},
		entered:   map[int64]bool{},
	}
}

// A session is one elaboration.
type session struct {
	lib    *Library
	target *Target
	out    *program.Elaborated
	diags  syntax.Diagnostics
	at     syntax.Pos // what is being elaborated

	anywhere  Resolver // @cast and the like, which need no place; may be nil
	included  map[*syntax.File]bool
	functions map[string][]function // of the included files
	followed  map[*syntax.FunctionDecl]bool
	globals   map[string]bool
	aliases   []alias // the user's
	targets   map[*syntax.Block]bool
	pending   []*syntax.ProbeDecl
	bodies    []*syntax.Block    // of the probe that is elaborated
	handler   *syntax.Block      // its own
	watched   int                // kernel.data points so far
	entered   map[int64]bool     // the entry values that a probe keeps
	through   int                // aliases that the probe has gone through so far
	broken    *syntax.Diagnostic // what is wrong however optional the probe point was, as that the kernel can't be looked into
}

// probe elaborates one probe: places at which the same code runs become one
// ElaboratedProbe.
func (s *session) probe(decl *syntax.ProbeDecl) {
	s.at, s.through = decl.At, 0
	groups := map[string]*program.ElaboratedProbe{} // by places' keys
	same := map[string]*program.ElaboratedProbe{}   // by what the keys came to
	unknown := 0
	start := func(pt *syntax.ProbePoint) path {
		p := path{bodies: []*syntax.Block{decl.Body}}
		if pt.Cond != nil {
			p.conds = []syntax.Expr{pt.Cond}
		}
		return p
	}
	for _, r := range s.points(decl.Points, path{}, start) {
		bodies := r.path.bodies
		if r.place.Before != nil {
			bodies = append([]*syntax.Block{r.place.Before}, bodies...)
		}
		if r.place.After != nil {
			bodies = append(append([]*syntax.Block(nil), bodies...), r.place.After)
		}
		if r.place.Wild && r.place.Vars != nil && s.anyUsesTargets(bodies) && !r.place.Vars.Known() {
			unknown++
			continue
		}
		key := s.key(bodies, r)
		group := groups[key]
		if group == nil {
			group = s.group(decl, bodies, r)
			sum := key
			if s.anyUsesTargets(bodies) {
				sum = summarize(group)
			}
			if first := same[sum]; first != nil {
				group = first
			} else {
				same[sum] = group
				s.out.Probes = append(s.out.Probes, group)
			}
			groups[key] = group
		}
		group.Points = append(group.Points, r.place.Point)
	}
	for _, group := range same {
		if needsRegisters(group) {
			for _, pt := range group.Points {
				pt.Registers = true
			}
		}
	}
	switch {
	case unknown > 0 && len(same) == 0:
		s.diags.Errorf(decl.At, "BTF does not say what the parameters of any of these %d functions are", unknown)
	case unknown > 0:
		s.diags.Warnf(decl.At, "%d functions are left out: BTF does not say for certain what their parameters are", unknown)
	}
}

// group makes the ElaboratedProbe of places like r, as yet without points.
func (s *session) group(decl *syntax.ProbeDecl, bodies []*syntax.Block, r reached) *program.ElaboratedProbe {
	group := &program.ElaboratedProbe{
		At:     decl.At,
		Name:   spellAll(decl.Points),
		Bodies: bodies,
		Conds:  r.path.conds,
		Values: map[syntax.Expr]*program.Value{},
	}
	s.bodies, s.handler = bodies, decl.Body
	for _, body := range bodies {
		s.follow(body, r.place.Vars, group.Values)
	}
	for _, cond := range r.path.conds {
		s.follow(cond, s.target.inCondition(), group.Values)
	}
	if r.place.Vars != nil {
		group.Saved = r.place.Vars.Saved()
	}
	s.enter(group)
	return group
}

// key is the same for places that can share their code.
func (s *session) key(bodies []*syntax.Block, r reached) string {
	var b strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&b, "%p ", body)
	}
	for _, cond := range r.path.conds {
		fmt.Fprintf(&b, "if %p ", cond)
	}
	if r.place.Vars != nil && s.anyUsesTargets(bodies) {
		b.WriteString(r.place.Vars.Key())
	}
	return b.String()
}

func (s *session) anyUsesTargets(bodies []*syntax.Block) bool {
	return slices.ContainsFunc(bodies, s.usesTargets)
}

// spellAll writes a list of probe points as scripts do.
func spellAll(points []*syntax.ProbePoint) string {
	var list []string
	for _, pt := range points {
		list = append(list, spell(pt))
	}
	return strings.Join(list, ", ")
}

// orAlias adds to d, the error for a probe point that no family knows, an
// alias that may have been meant.
func (s *session) orAlias(d *syntax.Diagnostic, pt *syntax.ProbePoint) *syntax.Diagnostic {
	var names []string
	for _, list := range [][]alias{s.aliases, s.lib.aliases} {
		for _, a := range list {
			names = append(names, joinNames(a.decl.Name.Components))
		}
	}
	if hint := suggest.Hint(joinNames(pt.Components), names); hint != "" {
		d.Hint = hint
	}
	return d
}
