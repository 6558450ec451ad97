// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/probetype"
	"gostap/elaborate/vars"
	"gostap/internal/panics"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// Elaborate finds the sites of the probes in user, the user's files, and includes what
// they refer to in the library.
func Elaborate(user []*syntax.File, lib *library.Library, target *image.Target) (*program.Elaborated, syntax.Diagnostics) {
	el := newElaboration(lib, target)
	defer panics.At(&el.at)
	for _, file := range user {
		el.include(file)
	}
	// A probe may include a file with more probes.
	for len(el.pending) > 0 {
		if target.Interrupted != nil && target.Interrupted() {
			return el.out, el.diags
		}
		decl := el.pending[0]
		el.pending = el.pending[1:]
		el.probe(decl)
	}
	el.resolveAutocasts()
	el.resolveCounters()
	if el.kinds.Broken != nil && el.diags.Err() == nil {
		el.diags = append(el.diags, el.kinds.Broken)
	}
	if len(el.out.Probes) == 0 && el.diags.Err() == nil {
		el.diags.Errorf(syntax.Pos{}, "the script has no probes").InStap("no probes found").Hint = `a probe is written: probe begin { println("hello") }`
	}
	return el.out, el.diags
}

func newElaboration(lib *library.Library, target *image.Target) *elaboration {
	env := &vars.Env{Target: target}
	el := &elaboration{
		lib:       lib,
		env:       env,
		anywhere:  env.Nowhere("here, but only where a function or a tracepoint is probed"),
		condition: env.Nowhere("in a condition: it is asked when no probe point is hit"),
		out:       &program.Elaborated{Values: map[syntax.Expr]*program.Value{}},
		included:  map[*syntax.File]bool{},
		functions: map[string][]function{},
		followed:  map[*syntax.FunctionDecl]bool{},
		globals:   map[string]bool{},
		targets:   map[*syntax.Block]bool{},
		entered:   map[int64]bool{},
		autocasts: newAutocasts(),
	}
	env.PointedBy = el.pointedBy
	el.kinds = probetype.Context{Env: env, Diags: &el.diags}
	return el
}

// An elaboration is one run of pass 2.
type elaboration struct {
	lib   *library.Library
	env   *vars.Env
	kinds probetype.Context
	out   *program.Elaborated
	diags syntax.Diagnostics
	at    syntax.Pos // what is being elaborated

	anywhere  *vars.Resolver // @cast and the like, which need no probe site
	condition *vars.Resolver // the same in conditions
	included  map[*syntax.File]bool
	functions map[string][]function // of the included files
	followed  map[*syntax.FunctionDecl]bool
	globals   map[string]bool
	aliases   []alias // the user's
	targets   map[*syntax.Block]bool
	pending   []*syntax.ProbeDecl
	bodies    []*syntax.Block // of the probe that is elaborated
	handler   *syntax.Block   // its own
	inProcess bool            // its family is one of inProcess
	reads     []counterRead   // by @perf
	entered   map[int64]bool  // the entry values that a probe saves
	through   int             // how many aliases the probe has gone through
	autocasts *autocasts
	scope     *codeScope // of the code that is being elaborated
}

// probe elaborates one probe: sites at which the same code runs become one
// ElaboratedProbe.
func (el *elaboration) probe(decl *syntax.ProbeDecl) {
	el.at, el.through = decl.At, 0
	groups := map[string]*program.ElaboratedProbe{} // by sites' keys
	same := map[string]*program.ElaboratedProbe{}   // by the summary of their code
	unknown := 0
	start := func(pt *syntax.ProbePoint) path {
		p := path{bodies: []*syntax.Block{decl.Body}}
		if pt.Cond != nil {
			p.conds = []syntax.Expr{pt.Cond}
		}
		return p
	}
	for _, r := range el.points(decl.Points, path{}, start) {
		bodies := r.path.bodies
		if r.site.Silent {
			bodies = []*syntax.Block{{At: decl.At}}
		}
		if r.site.Before != nil {
			bodies = append([]*syntax.Block{r.site.Before}, bodies...)
		}
		if r.site.After != nil {
			bodies = append(append([]*syntax.Block(nil), bodies...), r.site.After)
		}
		if r.site.Wild && r.site.Vars != nil && el.anyUsesTargets(bodies) && !r.site.Vars.Known() {
			unknown++
			continue
		}
		key := el.key(bodies, r)
		group := groups[key]
		if group == nil {
			group = el.group(decl, bodies, r)
			sum := key
			if el.anyUsesTargets(bodies) {
				sum = summarize(group)
			}
			if first := same[sum]; first != nil {
				group = first
			} else {
				same[sum] = group
				el.out.Probes = append(el.out.Probes, group)
			}
			groups[key] = group
		}
		r.site.Point.Script = r.path.script.String()
		group.Points = append(group.Points, r.site.Point)
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
		el.diags.Errorf(decl.At, "what the parameters of any of these %d functions are, neither BTF nor debuginfo says", unknown)
	case unknown > 0:
		el.diags.Warnf(decl.At, "%d functions are left out: what their parameters are, neither BTF nor debuginfo says for certain", unknown)
	}
}

// group makes the ElaboratedProbe for sites with r's key, without points yet.
func (el *elaboration) group(decl *syntax.ProbeDecl, bodies []*syntax.Block, r reached) *program.ElaboratedProbe {
	group := &program.ElaboratedProbe{
		At:      decl.At,
		Name:    probepoint.SpellAll(decl.Points),
		Targets: r.site.Vars != nil || inProcess[r.site.Point.Family],
		Bodies:  bodies,
		Conds:   r.path.conds,
		Values:  map[syntax.Expr]*program.Value{},
	}
	el.bodies, el.handler, el.inProcess = bodies, decl.Body, inProcess[r.site.Point.Family]
	el.scope = el.autocasts.probe(group)
	for _, body := range bodies {
		el.follow(body, r.site.Vars, group.Values)
	}
	for _, cond := range r.path.conds {
		el.follow(cond, el.condition, group.Values)
	}
	if r.site.Vars != nil {
		group.Saved = r.site.Vars.Saved()
	}
	el.enter(group)
	return group
}

// key is the same for sites that can share their code.
func (el *elaboration) key(bodies []*syntax.Block, r reached) string {
	var b strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&b, "%p ", body)
	}
	for _, cond := range r.path.conds {
		fmt.Fprintf(&b, "if %p ", cond)
	}
	if r.site.Vars != nil && el.anyUsesTargets(bodies) {
		b.WriteString(r.site.Vars.Key())
	}
	return b.String()
}

func (el *elaboration) anyUsesTargets(bodies []*syntax.Block) bool {
	return slices.ContainsFunc(bodies, el.usesTargets)
}

// orAlias adds to d, the error for an unknown probe point, a suggestion of an alias
// with a similar name.
func (el *elaboration) orAlias(d *syntax.Diagnostic, pt *syntax.ProbePoint) *syntax.Diagnostic {
	names := el.lib.AliasNames()
	for _, a := range el.aliases {
		names = append(names, probepoint.Names(a.decl.Name.Components))
	}
	if hint := suggest.Hint(probepoint.Names(pt.Components), names); hint != "" {
		d.Hint = hint
	}
	return d
}
