// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"maps"
	"slices"

	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// sourceFunctions finds the functions of a pattern in an image, by debuginfo:
// by file, inlined ones, and what lies in them.
func (s *session) sourceFunctions(im *image, maker *placeMaker, text string) ([]*Place, *syntax.Diagnostic) {
	m := maker.m
	p, err := parsePattern(text)
	if err != nil {
		return nil, m.errorf("%v", err)
	}
	functions, d := s.sourceMatch(im, m, &p)
	if d == nil && p.hasLines() {
		if functions = spanning(im.info, functions, &p); len(functions) == 0 {
			d = m.errorf("%q: no function has these lines", text)
		}
	}
	if d != nil {
		return nil, d
	}
	if m.inside() {
		return s.within(im, functions, maker, text)
	}
	maker.wild = p.wild()
	find := newFinder(s, maker, im)
	for _, f := range functions {
		for _, in := range f.Instances() {
			find.instance(in)
		}
	}
	if len(find.places) == 0 {
		return nil, find.none(text, len(functions))
	}
	return find.found(), nil
}

// copies returns the places where a function that was named in full is inlined
// into others, if the debuginfo is there to tell.
func (s *session) copies(maker *placeMaker, name string) []*Place {
	info := s.target.debuginfo.installed(maker.m.point)
	if info == nil {
		return nil
	}
	im := s.target.kernelImage(info)
	find := newFinder(s, maker, im)
	functions := info.Lookup(name)
	if s.hold(im, maker.m, functions) != nil {
		return nil // as it is damaged, it can't be told
	}
	for _, f := range functions {
		for _, in := range f.Instances() {
			if in.Inlined {
				find.instance(in)
			}
		}
	}
	return find.found()
}

// kernelWide reports whether a probe point stands for inlined copies, too:
// nothing in it asks for functions of their own.
func (m match) kernelWide() bool {
	return m.point.Components[0].Name == "kernel" && !m.has("return") && !m.has("call") && !m.has("exported")
}

// sourceMatch returns the functions whose name and file a pattern fits.
func (s *session) sourceMatch(im *image, m match, p *pattern) ([]dwarf.Func, *syntax.Diagnostic) {
	info := im.info
	var list []dwarf.Func
	if p.wild() {
		list = info.Match(p.matchesName, p.matchesFile)
	} else {
		for _, f := range info.Lookup(p.name) {
			if p.matchesFile(f.File) {
				list = append(list, f)
			}
		}
	}
	if len(list) > 0 {
		if err := s.hold(im, m, list); err != nil {
			return nil, m.errorf("%v", err)
		}
		return list, nil
	}
	return nil, s.noSource(im, m, p)
}

// noSource is the error for a pattern that fits nothing.
func (s *session) noSource(im *image, m match, p *pattern) *syntax.Diagnostic {
	info, title := im.info, im.title(s.target.Release)
	var elsewhere, files []string
	for _, f := range info.Lookup(p.name) {
		elsewhere = append(elsewhere, fmt.Sprintf("%s@%s:%d", f.Name, f.File, f.Line))
	}
	for _, f := range info.Files() {
		if p.matchesFile(f) {
			files = append(files, f)
		}
	}
	switch {
	case len(elsewhere) > 0:
		return m.errorf("no function %q in a file %q: there is %s", p.name, p.file, enumerate(elsewhere, 5))
	case p.file != "" && len(files) == 0:
		d := m.errorf("no file of %s with code in it matches %q", title, p.file)
		d.Hint = nearestFile(p.file, info.Files())
		return d
	}
	d := m.errorf("no function of %s matches %q", title, p.name)
	if p.file != "" {
		d.Msg += fmt.Sprintf(" in %s", enumerate(files, 3))
	}
	if im.kernel != nil && !p.wild() {
		if near := im.kernel.Nearest(p.name, 3); len(near) > 0 {
			d.Hint = didYouMean(near)
		}
	}
	return d
}

// spanning returns the functions that have one of a pattern's lines.
func spanning(info *dwarf.Info, list []dwarf.Func, p *pattern) []dwarf.Func {
	var out []dwarf.Func
	for _, f := range list {
		lines, err := info.Lines(f)
		if err != nil || len(lines) == 0 {
			continue
		}
		for line := f.Line; line <= lines[len(lines)-1]; line++ {
			if p.wants(line, f.Line) {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// A pointFinder turns addresses that debuginfo tells into places.
type pointFinder struct {
	s      *session
	maker  *placeMaker
	image  *image
	places []*Place
	seen   map[uint64]bool // functions

	statements map[statementKey]innermost
	frames     map[uint64]frameSize // by address

	refused []string          // "NAME is initialization code", …
	barred  map[uint64]string // why there can be no kprobe at these addresses
	lost    int               // instances in no function that the kernel knows
	unknown int               // callees of which can't be told who calls them
}

func newFinder(s *session, maker *placeMaker, im *image) *pointFinder {
	return &pointFinder{s: s, maker: maker, image: im, seen: map[uint64]bool{}, statements: map[statementKey]innermost{},
		frames: map[uint64]frameSize{}, barred: map[uint64]string{}}
}

// around returns the anchor of an instance's code; false if that can't be probed.
func (p *pointFinder) around(in dwarf.Instance) (anchor, bool) {
	a, why, lost := p.image.anchor(in)
	switch {
	case why != "":
		p.refused = append(p.refused, fmt.Sprintf("%s %s", in.Symbol, why))
	case lost:
		p.lost++
	}
	return a, why == "" && !lost
}

// allows reports whether there can be a kprobe at an address in an instance's code.
func (p *pointFinder) allows(in dwarf.Instance, a anchor, addr uint64) bool {
	why := p.s.target.refusal(p.image, in, &a, addr)
	if why != "" {
		p.barred[addr] = fmt.Sprintf("%s: %s", spot(&a.Func, int64(addr-a.Addr)), why)
	}
	return why == ""
}

// found returns the places, and warns of those that are left out.
func (p *pointFinder) found() []*Place {
	if n := len(p.barred); n > 0 && len(p.places) > 0 {
		p.s.diags.Warnf(p.maker.m.at(), "%d of %d places are left out, for they can't be probed: %s", n, n+len(p.places), p.example())
	}
	if p.unknown > 0 && len(p.places) > 0 {
		p.s.diags.Warnf(p.maker.m.at(), "%d of %d callees are left out, or some of their calls: what called them can't be told there, "+
			"as it jumped to them, or a frame in between is of no fixed size", p.unknown, p.unknown+len(p.places))
	}
	return p.places
}

// example says why there can be no kprobe at the first address of those where there can't.
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
	case !ok, !in.Inlined && f.IsPart(), in.Inlined && (m.has("call") || m.has("return") || m.has("exported")), !in.Inlined && m.has("inline"),
		m.has("exported") && !f.Exported, !in.Inlined && p.maker.wild && !f.Ftrace && p.image.kernel != nil:
		return
	}
	if in.Inlined {
		if p.allows(in, f, in.Entry) {
			p.places = append(p.places, p.place(in, f, in.Entry, p.name(in.Func, "")))
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
	if p.image.kernel == nil {
		p.places = append(p.places, p.ofModule(in, f))
		return
	}
	place := p.maker.place(&f.Func, len(p.image.kernel.Lookup(f.Name))-1)
	place.Point.Name = p.name(in.Func, "")
	p.places = append(p.places, place)
}

// ofModule makes the place of a module's own function.
func (p *pointFinder) ofModule(in dwarf.Instance, a anchor) *Place {
	place := p.place(in, a, in.Low, p.name(in.Func, ""))
	if p.maker.m.has("return") {
		place.Point.Family, place.Point.Args = "kretprobe", p.maker.args
		place.Vars.(*functionVars).ret = true
	}
	return place
}

// place makes the place at an address, of that name.
func (p *pointFinder) place(in dwarf.Instance, a anchor, addr uint64, name string) *Place {
	return &Place{
		Wild: p.maker.wild,
		Point: &program.Point{
			At:           p.maker.m.at(),
			Family:       "kprobe",
			Name:         name,
			Func:         in.Func.Name,
			Module:       a.module,
			Symbol:       a.Name,
			SymbolOffset: a.Offset,
			Offset:       int64(addr - a.Addr),
		},
		Vars: &functionVars{
			target:    p.s.target,
			name:      in.Func.Name,
			addr:      addr,
			statement: true,
			start:     !in.Inlined && addr == in.Low,
			instance:  in,
			image:     p.image,
			warn:      p.maker.warn,
		},
	}
}

// none is the error for functions without any place.
func (p *pointFinder) none(text string, functions int) *syntax.Diagnostic {
	m := p.maker.m
	switch {
	case len(p.barred) > 1:
		return m.errorf("%q stands for %d places, none of which can be probed: %s", text, len(p.barred), p.example())
	case len(p.barred) == 1:
		return m.errorf("%q can't be probed: %s", text, p.example())
	case len(p.refused) > 1:
		return m.errorf("%q stands for %d places, none of which can be probed: for one, %s", text, len(p.refused), p.refused[0])
	case len(p.refused) == 1:
		return m.errorf("%q can't be probed: %s", text, p.refused[0])
	case m.has("inline"):
		return m.errorf("%q is inlined nowhere", text)
	case m.has("return") || m.has("call"):
		d := m.errorf("%q is inlined wherever it is called", text)
		d.Hint = "an inlined function has no return, but an entry: without .return or .call it is probed"
		return d
	}
	return m.errorf("%q matches %d functions, but none that can be probed", text, functions)
}

// name spells a point at a function as debuginfo knows it.
func (p *pointFinder) name(f dwarf.Func, more string) string {
	suffix := more
	for _, word := range []string{"call", "exported", "inline", "return"} {
		if p.maker.m.has(word) {
			suffix += "." + word
		}
	}
	return pointAt(p.image.module, f) + suffix
}

// pointAt spells the point at a function of a module, or of the kernel itself if that is "".
func pointAt(module string, f dwarf.Func) string {
	root := "kernel"
	if module != "" {
		root = fmt.Sprintf("module(%q)", module)
	}
	return fmt.Sprintf(`%s.function("%s@%s:%d")`, root, f.Name, f.File, f.Line)
}
