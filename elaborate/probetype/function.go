// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"strings"

	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/symbols"
	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	register(kernelFunction,
		"kernel.function(string)",
		"kernel.function(string).call",
		"kernel.function(string).callee(string)",
		"kernel.function(string).callee(string).call",
		"kernel.function(string).callee(string).return",
		"kernel.function(string).callees",
		"kernel.function(string).callees(number)",
		"kernel.function(string).exported",
		"kernel.function(string).inline",
		"kernel.function(string).label(string)",
		"kernel.function(string).return",
		"kernel.function(string).return.maxactive(number)",
		"kprobe.function(string)",
		"kprobe.function(string).call",
		"kprobe.function(string).return",
		"kprobe.function(string).return.maxactive(number)",
		"module(string).function(string)",
		"module(string).function(string).call",
		"module(string).function(string).exported",
		"module(string).function(string).callee(string)",
		"module(string).function(string).callee(string).call",
		"module(string).function(string).callee(string).return",
		"module(string).function(string).callees",
		"module(string).function(string).callees(number)",
		"module(string).function(string).inline",
		"module(string).function(string).label(string)",
		"module(string).function(string).return",
		"module(string).function(string).return.maxactive(number)",
		"kprobe.module(string).function(string)",
		"kprobe.module(string).function(string).call",
		"kprobe.module(string).function(string).return",
		"kprobe.module(string).function(string).return.maxactive(number)")
}

// maxMaxactive bounds .maxactive, the active calls of a function that return probes provide for.
const maxMaxactive = 1 << 20

// kernelFunction builds kernel.function, module.function, kprobe.function and
// kprobe.module.function: functions' entries and returns.
func kernelFunction(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	sites, d := functionSites(c, m)
	if d != nil && c.Broken == nil && m.Root() == "kprobe" && !strings.ContainsAny(m.Text("function"), "*?[@") && !c.Optional {
		return c.unregistered(m, d), nil
	}
	return sites, d
}

// unregistered builds a kprobe of a function that can't be probed, because of d: a warning, and a handler that never runs.
// It is no error, as SystemTap looks the function up when it registers the kprobe, and continues if that fails.
func (c *Context) unregistered(m match, d *syntax.Diagnostic) []*ProbeSite {
	never := c.Diags.Warnf(m.At, "%s: this probe is never hit", d.Msg)
	never.Hint, never.Install = d.Hint, d.Install
	v := c.KProbe("kernel.function")
	if m.Has("return") {
		v = v.Return()
	}
	return []*ProbeSite{{Point: &program.Point{At: m.At, Family: "never", Name: probepoint.Spell(m.ProbePoint), Cold: true}, Vars: v}}
}

// functionSites finds the sites that kernelFunction builds.
func functionSites(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	pattern := m.Text("function")
	maxactive := m.Number("maxactive", 0)
	if maxactive < 0 || maxactive > maxMaxactive {
		return nil, m.Errorf("maxactive(%d) must be from 0 to %d", maxactive, maxMaxactive)
	}
	kernel, d := c.kernel(m)
	if d != nil {
		return nil, d
	}
	maker := siteMaker{c: c, m: m, in: kernel, wild: strings.ContainsAny(pattern, "*?["), args: [2]int64{maxactive}}
	if strings.Contains(pattern, "@") || m.Has("inline") || m.InFunctions() {
		return c.byDebuginfo(&maker, pattern)
	}
	if m.Has("module") {
		return moduleFunctions(&maker, pattern)
	}
	functions, d := maker.find(pattern)
	sites := maker.sites(functions)
	if kernelWide(m) {
		sites = append(sites, c.copies(&maker, pattern)...)
	}
	if len(sites) > 0 {
		d = nil
	}
	return sites, d
}

// find returns the functions that pattern stands for.
func (p *siteMaker) find(pattern string) ([]symbols.Func, *syntax.Diagnostic) {
	if p.wild {
		return wildFunctions(p.in, p.m, pattern)
	}
	return p.c.namedFunctions(p.in, p.m, pattern)
}

// byDebuginfo finds the functions of pattern, or labels and callees in them, by debuginfo.
func (c *Context) byDebuginfo(maker *siteMaker, pattern string) ([]*ProbeSite, *syntax.Diagnostic) {
	m, what := maker.m, fmt.Sprintf("the place of %q", pattern)
	if root := m.Root(); root == "kprobe" {
		return nil, m.Errorf("kprobe.function takes the name of a function, without @FILE: it goes without debuginfo")
	}
	if m.Has("module") {
		return c.inModules(m, what, func(im *image.Source) ([]*ProbeSite, *syntax.Diagnostic) {
			return c.sourceFunctions(im, maker, pattern)
		})
	}
	info, d := c.Target.Debuginfo().Need(m.At, what, m.ProbePoint)
	if d != nil {
		return nil, d
	}
	return c.sourceFunctions(c.Target.Source(info), maker, pattern)
}

// unexported reports whether .exported leaves f out. It takes functions that are not static, as SystemTap does, whether modules and
// libraries may use them or not.
func unexported(m match, f *symbols.Func) bool {
	return m.Has("exported") && f.Kind != 'T' && f.Kind != 'W'
}

// wildFunctions returns the functions that match pattern and that ftrace can
// trace. Others are left out, though some of them could bear a kprobe: the
// kernel's own tools refuse those too, as tracing itself may run through them.
func wildFunctions(im image.Image, m match, pattern string) ([]symbols.Func, *syntax.Diagnostic) {
	all := im.Symbols().Glob(pattern)
	var list []symbols.Func
	refused := 0
	for i := range all {
		f := &all[i]
		switch {
		case f.IsPart(), unexported(m, f):
		case f.Refusal != symbols.Probeable || !f.Ftrace:
			refused++
		default:
			list = append(list, *f)
		}
	}
	if len(list) > 0 {
		return onePerAddress(list), nil
	}
	if refused > 0 {
		return nil, m.Errorf("%q matches %d functions of %s, none of which can be probed", pattern, refused, im)
	}
	return nil, m.Errorf("%q matches no function of %s", pattern, im)
}

// onePerAddress keeps one name of functions that have several, so that a handler runs
// once: it prefers global symbols to local ones, and those to weak ones.
func onePerAddress(list []symbols.Func) []symbols.Func {
	rank := map[byte]int{'T': 0, 't': 1, 'W': 2, 'w': 3}
	best := make(map[uint64]int, len(list))
	for i := range list {
		j, ok := best[list[i].Addr]
		if !ok || rank[list[i].Kind] < rank[list[j].Kind] {
			best[list[i].Addr] = i
		}
	}
	out := list[:0]
	for i := range list {
		if best[list[i].Addr] == i {
			out = append(out, list[i])
		}
	}
	return out
}

// namedFunctions returns all functions called name.
func (c *Context) namedFunctions(im image.Image, m match, name string) ([]symbols.Func, *syntax.Diagnostic) {
	all := im.Symbols().Lookup(name)
	variants := im.Symbols().Variants(name)
	if len(all) == 0 {
		all = variants
	} else if whole := wholes(variants); len(whole) > 0 {
		c.Diags.Warnf(m.At, "the compiler has made %s of %s, too, with other parameters: it is not probed", suggest.Enumerate(whole, 3), name).Hint =
			fmt.Sprintf("function(%q) probes both, if the handler can do without target variables", name+"*")
	}
	var list []symbols.Func
	var refused *symbols.Func
	for i := range all {
		f := &all[i]
		switch {
		case f.IsPart(), unexported(m, f):
		case f.Refusal != symbols.Probeable:
			refused = f
		default:
			list = append(list, *f)
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case refused != nil:
		return nil, m.Errorf("function %q can't be probed: it %s", name, refused.Refusal)
	case len(all) > 0 && m.Has("exported"):
		return nil, m.Errorf("function %q is not exported by %s: it is static", name, im)
	}
	d := m.Errorf("%s has no function %q", im, name)
	if c.Optional {
		return nil, d
	}
	near := im.Symbols().Nearest(name, 3)
	if len(near) > 0 {
		d.InStap("no match%s", suggest.Similar("functions", near)).Hint = suggest.DidYouMean(near)
	}
	if hint := successor(name, im.Symbols()); hint != "" {
		d.Hint = hint
	} else if len(near) == 0 && c.Target.Debuginfo().Installed(m.ProbePoint) == nil {
		d.Hint = "it may be inlined wherever it is called; where that is, only debuginfo tells: " + c.Target.InstallDebuginfo()
	}
	return nil, d
}

// wholes returns the names of functions, without the parts that compilers split off (.cold, .part).
func wholes(list []symbols.Func) []string {
	var names []string
	for i := range list {
		if !list[i].IsPart() {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// A siteMaker makes the sites of one probe point's functions.
type siteMaker struct {
	c    *Context
	m    match
	wild bool
	args [2]int64
	in   image.Image

	spelled string // the components in front of .function, "" for those of the image
	program string // program.Point.Program

	warned bool
}

// component spells the components of a point that name the image.
func (p *siteMaker) component(im image.Image) string {
	if p.spelled != "" {
		return p.spelled
	}
	return im.Component()
}

func (p *siteMaker) sites(functions []symbols.Func) []*ProbeSite {
	counts := make(map[string]int, len(functions))
	for i := range functions {
		counts[functions[i].Name]++
	}
	var source *image.Source
	if p.m.Root() != "kprobe" {
		if info := p.in.Debuginfo().Installed(p.m.ProbePoint); info != nil {
			source = &image.Source{Image: p.in, Info: info}
		}
	}
	sites := make([]*ProbeSite, 0, len(functions))
	for i := range functions {
		f := &functions[i]
		sites = append(sites, p.site(f, counts[f.Name]-1, spellFunction(source, f)))
	}
	return sites
}

// warn adds a warning, but only one for each probe point.
func (p *siteMaker) warn(at syntax.Pos, msg string) {
	if !p.warned {
		p.warned = true
		p.c.Diags.Warnf(at, "%s", msg)
	}
}

// spellFunction spells the component of a function: with its file and line if source, which may be nil, knows them.
func spellFunction(source *image.Source, f *symbols.Func) string {
	if source != nil {
		if in, ok := source.Function(f.Name, f.Addr); ok {
			return functionAt(in.Func)
		}
	}
	return `.function("` + f.Base() + `")`
}

// site makes the site of a function; spelled is its component, and namesakes is how many others have its name.
func (p *siteMaker) site(f *symbols.Func, namesakes int, spelled string) *ProbeSite {
	family, suffix := "function", ""
	switch {
	case p.m.Has("return"):
		family, suffix = "return", ".return"
	case !f.Ftrace:
		family = "kprobe"
	}
	for _, word := range []string{"call", "exported"} {
		if p.m.Has(word) {
			suffix = "." + word
		}
	}
	point := &program.Point{
		At:     p.m.At,
		Family: family,
		Name:   p.root() + spelled + suffix,
		Func:   f.Base(),
		Site:   program.Site{Image: p.in.ID(), Symbol: f.Name},
		Args:   p.args,
	}
	if p.in.Name() == "" {
		point.SymbolOffset = f.Offset
	}
	return &ProbeSite{Wild: p.wild, Point: point, Vars: p.vars(f, namesakes)}
}

// root spells the components of the point in front of .function.
func (p *siteMaker) root() string {
	switch root, module := p.m.Root(), p.in.Name(); {
	case root != "kprobe":
		return probepoint.In(module)
	case module != "":
		return "kprobe." + probepoint.In(module)
	}
	return "kprobe"
}

// vars returns the variables of a function; namesakes is how many others have its name.
func (p *siteMaker) vars(f *symbols.Func, namesakes int) *vars.Resolver {
	var v *vars.Resolver
	if p.m.Root() == "kprobe" {
		v = p.c.KProbe(vars.EntryPoint(p.in, f.Name))
	} else {
		v = p.c.Function(vars.Function{Image: p.in, Name: f.Name, Addr: f.Addr, Namesakes: namesakes, Warn: p.warn})
	}
	if p.m.Has("return") {
		v = v.Return()
	}
	return v
}
