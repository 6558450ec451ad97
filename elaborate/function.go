// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"strconv"
	"strings"

	"gostap/elaborate/symbols"
	"gostap/translator/program"
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

// maxMaxactive bounds how many returns of one function may be waited for.
const maxMaxactive = 1 << 20

// kernelFunction builds kernel.function, module.function, kprobe.function and
// kprobe.module.function: functions' entries and returns.
func kernelFunction(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	pattern := m.text("function")
	maxactive := m.number("maxactive", 0)
	if maxactive < 0 || maxactive > maxMaxactive {
		return nil, m.errorf("maxactive(%d) must be from 0 to %d", maxactive, maxMaxactive)
	}
	k, err := s.target.Kernel()
	if err != nil {
		s.broken = s.target.complain(m.at(), err)
		return nil, s.broken
	}
	maker := placeMaker{s: s, m: m, wild: strings.ContainsAny(pattern, "*?["), args: [2]int64{maxactive}}
	if strings.Contains(pattern, "@") || m.has("inline") || m.inside() {
		return s.byDebuginfo(&maker, pattern)
	}
	if m.has("module") {
		return moduleFunctions(&maker, pattern)
	}
	functions, d := maker.find(&scope{Functions: &k.Functions, what: "kernel " + k.Release}, pattern)
	places := maker.places(functions)
	if !maker.wild && m.kernelWide() {
		places = append(places, s.copies(&maker, pattern)...)
	}
	if len(places) > 0 {
		d = nil
	}
	return places, d
}

// A scope is what functions are looked for in.
type scope struct {
	*symbols.Functions
	what string // "kernel 6.1.0-56-cloud-amd64", "module fuse"
}

// find returns the functions that pattern stands for.
func (p *placeMaker) find(in *scope, pattern string) ([]symbols.Func, *syntax.Diagnostic) {
	if p.wild {
		return wildFunctions(in, p.m, pattern)
	}
	return p.s.namedFunctions(in, p.m, pattern)
}

// byDebuginfo finds the functions of pattern, or what is in them, by debuginfo.
func (s *session) byDebuginfo(maker *placeMaker, pattern string) ([]*Place, *syntax.Diagnostic) {
	m, what := maker.m, fmt.Sprintf("the place of %q", pattern)
	if root := m.point.Components[0].Name; root == "kprobe" {
		return nil, m.errorf("kprobe.function takes the name of a function, without @FILE: it goes without debuginfo")
	}
	if m.has("module") {
		return s.inModules(m, what, func(im *image) ([]*Place, *syntax.Diagnostic) { return s.sourceFunctions(im, maker, pattern) })
	}
	info, d := s.target.debuginfo.need(m.at(), what, m.point)
	if d != nil {
		return nil, d
	}
	return s.sourceFunctions(s.target.kernelImage(info), maker, pattern)
}

// inside reports whether a probe point asks for what lies in functions.
func (m match) inside() bool { return m.has("label") || m.has("callee") || m.has("callees") }

// wildFunctions returns the functions that match pattern and that ftrace can
// trace. Others are left out, though some of them could bear a kprobe: the
// kernel's own tools refuse those too, as tracing itself may run through them.
func wildFunctions(k *scope, m match, pattern string) ([]symbols.Func, *syntax.Diagnostic) {
	all := k.Glob(pattern)
	var list []symbols.Func
	refused := 0
	for i := range all {
		f := &all[i]
		switch {
		case f.IsPart(), m.has("exported") && !f.Exported:
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
		return nil, m.errorf("%q matches %d functions of %s, none of which can be probed", pattern, refused, k.what)
	}
	return nil, m.errorf("%q matches no function of %s", pattern, k.what)
}

// onePerAddress drops all but one name of functions that have several, so that
// a handler runs once: a global symbol before a local and that before a weak.
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
func (s *session) namedFunctions(k *scope, m match, name string) ([]symbols.Func, *syntax.Diagnostic) {
	all := k.Lookup(name)
	variants := k.Variants(name)
	if len(all) == 0 {
		all = variants
	} else if whole := wholes(variants); len(whole) > 0 {
		s.diags.Warnf(m.at(), "the compiler has made %s of %s, too, with other parameters: it is not probed", enumerate(whole, 3), name).Hint =
			fmt.Sprintf("function(%q) probes both, if the handler can do without target variables", name+"*")
	}
	var list []symbols.Func
	var refused *symbols.Func
	for i := range all {
		f := &all[i]
		switch {
		case f.IsPart(), m.has("exported") && !f.Exported:
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
		return nil, m.errorf("function %q can't be probed: it %s", name, refused.Refusal)
	case len(all) > 0 && m.has("exported"):
		return nil, m.errorf("function %q is not exported by %s", name, k.what)
	}
	d := m.errorf("%s has no function %q", k.what, name)
	if near := k.Nearest(name, 3); len(near) > 0 {
		d.Hint = didYouMean(near)
	} else if s.target.debuginfo.installed(m.point) == nil {
		d.Hint = "it may be inlined wherever it is called; where that is, only debuginfo tells: " + s.target.installDebuginfo()
	}
	return nil, d
}

// didYouMean offers one to three names.
func didYouMean(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, strconv.Quote(n))
	}
	last := len(quoted) - 1
	if last == 0 {
		return "did you mean " + quoted[0] + "?"
	}
	return "did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
}

// wholes returns the names of functions that are not parts of others.
func wholes(list []symbols.Func) []string {
	var names []string
	for i := range list {
		if !list[i].IsPart() {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// A placeMaker makes the places of one probe point's functions.
type placeMaker struct {
	s    *session
	m    match
	wild bool
	args [2]int64
	in   *openModule // nil for the kernel itself

	warned bool
}

func (p *placeMaker) places(functions []symbols.Func) []*Place {
	counts := make(map[string]int, len(functions))
	for i := range functions {
		counts[functions[i].Name]++
	}
	places := make([]*Place, 0, len(functions))
	for i := range functions {
		places = append(places, p.place(&functions[i], counts[functions[i].Name]-1))
	}
	return places
}

// warn adds a warning, but only one for each probe point.
func (p *placeMaker) warn(at syntax.Pos, msg string) {
	if !p.warned {
		p.warned = true
		p.s.diags.Warnf(at, "%s", msg)
	}
}

func (p *placeMaker) place(f *symbols.Func, twins int) *Place {
	family := "function"
	suffix := ""
	switch {
	// In modules kprobes, which go with their modules.
	case p.m.has("return") && p.in != nil:
		family, suffix = "kretprobe", ".return"
	case p.m.has("return"):
		family, suffix = "return", ".return"
	case !f.Ftrace || p.in != nil:
		family = "kprobe"
	}
	for _, word := range []string{"call", "exported"} {
		if p.m.has(word) {
			suffix = "." + word
		}
	}
	root, module, offset := p.m.point.Components[0].Name, "", f.Offset
	name := root
	if p.in != nil {
		module, offset = p.in.Name, 0
		name = `module("` + module + `")`
		if root == "kprobe" {
			name = "kprobe." + name
		}
	}
	return &Place{
		Wild: p.wild,
		Point: &program.Point{
			At:     p.m.at(),
			Family: family,
			Name:   name + `.function("` + f.Base() + `")` + suffix,
			Func:   f.Base(),
			Module: module,
			Symbol: f.Name,
			Args:   p.args,

			SymbolOffset: offset,
		},
		Vars: &functionVars{
			target: p.s.target,
			module: p.in,
			name:   f.Name,
			ret:    p.m.has("return"),
			bare:   root == "kprobe",
			twins:  twins,
			addr:   f.Addr,
			warn:   p.warn,
		},
	}
}
