// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/vars"
	"gostap/internal/qualified"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// sourceFunctions finds the functions of a pattern in an image, by debuginfo: functions
// of a file, inlined copies, and labels and callees in them.
func (c *Context) sourceFunctions(im *image.Source, maker *siteMaker, text string) ([]*ProbeSite, *syntax.Diagnostic) {
	m := maker.m
	p, err := probepoint.ParsePattern(text)
	if err != nil {
		return nil, m.Errorf("%v", err)
	}
	functions, d := c.sourceMatch(im, m, &p)
	if d == nil && p.HasLines() {
		if functions = spanning(im.Info, functions, &p); len(functions) == 0 {
			d = m.Errorf("%q: no function has these lines", text)
		}
	}
	if d != nil {
		return nil, d
	}
	if m.InFunctions() {
		return c.within(im, functions, maker, text)
	}
	maker.wild = p.Wild()
	find := newFinder(c, maker, im)
	for _, f := range functions {
		for _, in := range f.Instances() {
			if p.MatchesParams(in.Symbol) {
				find.instance(in)
			}
		}
	}
	if len(find.sites) == 0 {
		if p.Params != "" {
			return nil, noOverload(m, functions, &p)
		}
		return nil, find.none(text, len(functions))
	}
	return find.found(), nil
}

// noOverload is the error for a C++ pattern whose parameters no function of the name has.
func noOverload(m match, functions []dwarf.Func, p *probepoint.Pattern) *syntax.Diagnostic {
	var have []string
	for _, f := range functions {
		for _, in := range f.Instances() {
			if !in.Inlined {
				have = append(have, qualified.Demangled(in.Symbol))
			}
		}
	}
	d := m.Errorf("no %s has the parameters %s", p.Name, p.Params)
	if len(have) > 0 {
		slices.Sort(have)
		d.Hint = "there is " + suggest.Enumerate(slices.Compact(have), 5)
	}
	return d
}

// mostCopies bounds the inlined copies that a wildcard stands for: each takes a kprobe,
// while ftrace serves functions by the thousands.
const mostCopies = 5000

// // copies returns the sites of inlined copies of the functions of a pattern, if there is debuginfo.
func (c *Context) copies(maker *siteMaker, pattern string) []*ProbeSite {
	info := c.Target.Debuginfo().Installed(maker.m.ProbePoint)
	if info == nil {
		return nil
	}
	im := c.Target.Source(info)
	find := newFinder(c, maker, im)
	functions := info.Lookup(pattern)
	if maker.wild {
		p := probepoint.Pattern{Name: pattern}
		functions = info.Match(p.MatchesName, p.MatchesFile)
	}
	if c.collect(im, maker.m, functions) != nil {
		return nil // the debuginfo is damaged
	}
	var inlined []dwarf.Instance
	for _, f := range functions {
		for _, in := range f.Instances() {
			if in.Inlined {
				inlined = append(inlined, in)
			}
		}
	}
	if len(inlined) > mostCopies {
		c.Diags.Warnf(maker.m.At, "the %d places where functions that match %q are inlined are left out, as they are more than %d", len(inlined), pattern, mostCopies).Hint =
			"with .call there is no warning, .inline probes the inlined copies alone"
		return nil
	}
	for _, in := range inlined {
		find.instance(in)
	}
	return find.found()
}

// kernelWide reports whether a probe point stands for inlined copies, too:
// it has no component that excludes them.
func kernelWide(m match) bool {
	return m.Root() == "kernel" && !m.Has("return") && !m.Has("call") && !m.Has("exported")
}

// sourceMatch returns the functions whose name and file match a pattern.
func (c *Context) sourceMatch(im *image.Source, m match, p *probepoint.Pattern) ([]dwarf.Func, *syntax.Diagnostic) {
	info := im.Info
	var list []dwarf.Func
	if p.Wild() {
		list = info.Match(p.MatchesName, p.MatchesFile)
	} else {
		for _, f := range info.Lookup(p.Name) {
			if p.MatchesFile(f.File) {
				list = append(list, f)
			}
		}
	}
	if len(list) > 0 {
		if err := c.collect(im, m, list); err != nil {
			return nil, m.Errorf("%v", err)
		}
		return list, nil
	}
	return nil, c.noSource(im, m, p)
}

// noSource is the error for a pattern that matches nothing.
func (c *Context) noSource(im *image.Source, m match, p *probepoint.Pattern) *syntax.Diagnostic {
	info, title := im.Info, im
	var elsewhere, files []string
	for _, f := range info.Lookup(p.Name) {
		elsewhere = append(elsewhere, fmt.Sprintf("%s@%s:%d", f.Name, f.File, f.Line))
	}
	for _, f := range info.Files() {
		if p.MatchesFile(f) {
			files = append(files, f)
		}
	}
	switch {
	case len(elsewhere) > 0:
		return m.Errorf("no function %q in a file %q: there is %s", p.Name, p.File, suggest.Enumerate(elsewhere, 5))
	case p.File != "" && len(files) == 0:
		d := m.Errorf("no file of %s with code in it matches %q", title, p.File)
		d.Hint = nearestFile(p.File, info.Files())
		return d
	}
	name := p.Name + p.Params // Go's receivers have parentheses, too
	d := m.Errorf("no function of %s matches %q", title, name)
	if p.File != "" {
		d.Msg += fmt.Sprintf(" in %s", suggest.Enumerate(files, 3))
	}
	if wild := strings.ContainsAny(strings.ReplaceAll(name, "(*", ""), "*?["); !wild && (im.Name() == "" || im.User()) {
		if near := im.Symbols().Nearest(name, 3); len(near) > 0 {
			d.InStap("no match%s", suggest.Similar("functions", near)).Hint = suggest.DidYouMean(near)
		}
	}
	return d
}

// spanning returns the functions that contain one of a pattern's lines.
func spanning(info *dwarf.Info, list []dwarf.Func, p *probepoint.Pattern) []dwarf.Func {
	var out []dwarf.Func
	for _, f := range list {
		lines, err := info.Lines(f)
		if err != nil || len(lines) == 0 {
			continue
		}
		for line := f.Line; line <= lines[len(lines)-1]; line++ {
			if p.Wants(line, f.Line) {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// A pointFinder makes sites of addresses from debuginfo.
type pointFinder struct {
	c     *Context
	maker *siteMaker
	image *image.Source
	sites []*ProbeSite
	seen  map[uint64]bool // functions

	statements map[statementKey]innermost
	frames     map[uint64]frameSize // by address

	refused []string          // "NAME is initialization code", …
	barred  map[uint64]string // by address, why there can be no kprobe
	lost    int               // instances outside of all functions in the symbol table
	unknown int               // callees whose caller can't be determined
}

func newFinder(c *Context, maker *siteMaker, im *image.Source) *pointFinder {
	return &pointFinder{c: c, maker: maker, image: im, seen: map[uint64]bool{}, statements: map[statementKey]innermost{},
		frames: map[uint64]frameSize{}, barred: map[uint64]string{}}
}

// around returns the base symbol of an instance's code; false if the code can't be probed.
func (p *pointFinder) around(in dwarf.Instance) (image.BaseSymbol, bool) {
	a, why, lost := p.image.BaseSymbol(in)
	switch {
	case why != "":
		p.refused = append(p.refused, fmt.Sprintf("%s %s", in.Func.Name, why))
	case lost:
		p.lost++
	}
	return a, why == "" && !lost
}

// allows reports whether there can be a kprobe at an address in an instance's code.
func (p *pointFinder) allows(in dwarf.Instance, a image.BaseSymbol, addr uint64) bool {
	why := p.image.Refusal(in, &a, addr)
	if why != "" {
		p.barred[addr] = fmt.Sprintf("%s: %s", spot(&a.Func, int64(addr-a.Addr)), why)
	}
	return why == ""
}

// found returns the sites, and warns of those that are left out.
func (p *pointFinder) found() []*ProbeSite {
	if n := len(p.barred); n > 0 && len(p.sites) > 0 {
		p.c.Diags.Warnf(p.maker.m.At, "%d of %d places are left out, for they can't be probed: %s", n, n+len(p.sites), p.example())
	}
	if p.unknown > 0 && len(p.sites) > 0 {
		p.c.Diags.Warnf(p.maker.m.At, "%d of %d callees are left out, or some of their calls: what called them can't be told there, "+
			"as it jumped to them, or a frame in between is of no fixed size", p.unknown, p.unknown+len(p.sites))
	}
	return p.sites
}

// example says why there can be no kprobe at the first of the barred addresses.
func (p *pointFinder) example() string {
	why := p.barred[slices.Min(slices.Collect(maps.Keys(p.barred)))]
	if len(p.barred) > 1 {
		why = "for one, " + why
	}
	return why
}

// instance adds the entry of a function, or of an inlined copy.
func (p *pointFinder) instance(in dwarf.Instance) {
	m := p.maker.m
	f, ok := p.around(in)
	switch {
	case !ok, !in.Inlined && f.IsPart(), in.Inlined && (m.Has("call") || m.Has("return") || m.Has("exported")), !in.Inlined && m.Has("inline"),
		unexported(m, &f.Func), !in.Inlined && p.maker.wild && !f.Ftrace && !p.image.User():
		return
	}
	if in.Inlined {
		if p.allows(in, f, in.Entry) {
			p.sites = append(p.sites, p.site(in, f, in.Entry, p.name(in.Func, "")))
		}
		return
	}
	if p.seen[in.Low] {
		return
	}
	p.seen[in.Low] = true
	if !f.Ftrace && !p.allows(in, f, in.Low) {
		return
	}
	if p.image.Name() != "" {
		site := p.function(in, f)
		if why := unreturnable(p.image.Image, site.Point, in.Low, in.High-in.Low); m.Has("return") && why != "" {
			p.refused = append(p.refused, fmt.Sprintf("%s %s", in.Func.Name, why))
			return
		}
		p.sites = append(p.sites, site)
		return
	}
	p.sites = append(p.sites, p.maker.site(&f.Func, len(p.image.Symbols().Lookup(f.Name))-1, functionAt(in.Func)))
}

// function makes the site of a function that debuginfo describes.
func (p *pointFinder) function(in dwarf.Instance, a image.BaseSymbol) *ProbeSite {
	at := entry(p.image.Image, in.Low)
	site := p.site(in, a, at, p.name(in.Func, ""))
	site.Vars = p.c.Statement(vars.Statement{Source: p.image, Instance: in, Addr: at, Entry: true}, p.maker.warn)
	switch {
	case p.maker.m.Has("return"):
		site.Point.Family, site.Point.Args = Family(p.image, true), p.maker.args
		site.Point.Returns = returns(p.image.Image, in.Low, in.High-in.Low)
		site.Vars = site.Vars.Return()
	case a.Ftrace && !p.image.User():
		site.Point.Family = "function"
	}
	return site
}

// site makes the site at an address, of that name.
func (p *pointFinder) site(in dwarf.Instance, a image.BaseSymbol, addr uint64, name string) *ProbeSite {
	return &ProbeSite{
		Wild: p.maker.wild,
		Point: &program.Point{
			At:      p.maker.m.At,
			Family:  Family(p.image, false),
			Name:    name,
			Func:    in.Func.Name,
			Site:    p.image.Site(&a, addr),
			Args:    [2]int64{1: p.maker.args[1]},
			Program: p.maker.program,
		},
		Vars: p.c.Statement(vars.Statement{Source: p.image, Instance: in, Addr: addr}, p.maker.warn),
	}
}

// none is the error if no function has a site.
func (p *pointFinder) none(text string, functions int) *syntax.Diagnostic {
	m := p.maker.m
	switch {
	case len(p.barred) > 1:
		return m.Errorf("%q stands for %d places, none of which can be probed: %s", text, len(p.barred), p.example())
	case len(p.barred) == 1:
		return m.Errorf("%q can't be probed: %s", text, p.example())
	case len(p.refused) > 1:
		return m.Errorf("%q stands for %d places, none of which can be probed: for one, %s", text, len(p.refused), p.refused[0])
	case len(p.refused) == 1:
		return m.Errorf("%q can't be probed: %s", text, p.refused[0])
	case m.Has("inline"):
		return m.Errorf("%q is inlined nowhere", text)
	case m.Has("return") || m.Has("call"):
		d := m.Errorf("%q is inlined wherever it is called", text)
		d.Hint = "an inlined function has no return, but an entry: without .return or .call it is probed"
		return d
	}
	return m.Errorf("%q matches %d functions, but none that can be probed", text, functions)
}

// name spells a point at a function, with its file and line.
func (p *pointFinder) name(f dwarf.Func, more string) string {
	suffix := more
	for _, word := range []string{"call", "exported", "inline", "return"} {
		if p.maker.m.Has(word) {
			suffix += "." + word
		}
	}
	return p.maker.component(p.image) + functionAt(f) + suffix
}

// PointAt spells the point at a function of an image.
func PointAt(im image.Image, f dwarf.Func) string { return im.Component() + functionAt(f) }

// functionAt spells the component of a function.
func functionAt(f dwarf.Func) string {
	if f.File == "" { // the compiler's own, such as the rest of a coroutine
		return fmt.Sprintf(`.function("%s")`, f.Name)
	}
	return fmt.Sprintf(`.function("%s@%s:%d")`, f.Name, f.File, f.Line)
}

// Family returns the runtime's family of probes for instructions of an image, or for its functions' returns.
func Family(im image.Image, atReturn bool) string {
	switch {
	case im.User() && atReturn:
		return "uretprobe"
	case im.User():
		return "uprobe"
	case atReturn:
		return "return"
	}
	return "kprobe"
}
