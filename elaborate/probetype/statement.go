// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	register(kernelStatement, "kernel.statement(string)", "kernel.statement(string).nearest")
	register(addressStatement, "kernel.statement(number)")
	register(moduleStatement, "module(string).statement(string)", "module(string).statement(string).nearest")
}

// addressOfStatements is what errors say debuginfo is needed for.
const addressOfStatements = "the place of a function's statements"

// kernelStatement builds kernel.statement("NAME@FILE:LINES").
func kernelStatement(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	p, err := probepoint.ParsePattern(m.Text("statement"))
	if err != nil {
		return nil, m.Errorf("%v", err)
	}
	if _, d := c.kernel(m); d != nil {
		return nil, d
	}
	info, d := c.Target.Debuginfo().Need(m.At, addressOfStatements, m.ProbePoint)
	if d != nil {
		return nil, d
	}
	return c.statements(c.Target.Source(info), &siteMaker{c: c, m: m}, p)
}

// addressStatement builds kernel.statement(ADDRESS), of an address as linked, at
// which a statement begins.
func addressStatement(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	if _, d := c.kernel(m); d != nil {
		return nil, d
	}
	addr := uint64(m.Number("statement", 0))
	info, d := c.Target.Debuginfo().Need(m.At, fmt.Sprintf("what is at %#x", addr), m.ProbePoint)
	if d != nil {
		return nil, d
	}
	return c.statementAt(c.Target.Source(info), &siteMaker{c: c, m: m}, addr)
}

// statementAt finds the statement at an address, as linked.
func (c *Context) statementAt(im *image.Source, maker *siteMaker, addr uint64) ([]*ProbeSite, *syntax.Diagnostic) {
	m := maker.m
	in, line, err := im.Info.StatementAt(addr)
	if err != nil {
		return nil, m.Errorf("%#x: %v", addr, err)
	}
	if err := c.collect(im, m, []dwarf.Func{in.Func}); err != nil {
		return nil, m.Errorf("%v", err)
	}
	find := newFinder(c, maker, im)
	find.statement(in, dwarf.Statement{Addr: addr, Line: line})
	if len(find.sites) == 0 {
		return nil, find.none(fmt.Sprintf("%#x", addr), 1)
	}
	return find.sites, nil
}

// moduleStatement builds module("NAME").statement("NAME@FILE:LINES").
func moduleStatement(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	p, err := probepoint.ParsePattern(m.Text("statement"))
	if err != nil {
		return nil, m.Errorf("%v", err)
	}
	return c.inModules(m, addressOfStatements, func(im *image.Source) ([]*ProbeSite, *syntax.Diagnostic) {
		return c.statements(im, &siteMaker{c: c, m: m}, p)
	})
}

// statements finds the addresses at which lines of the source begin. Each line has one in each
// function and each inlined copy.
func (c *Context) statements(im *image.Source, maker *siteMaker, p probepoint.Pattern) ([]*ProbeSite, *syntax.Diagnostic) {
	m := maker.m
	text, info := m.Text("statement"), im.Info
	functions, d := c.sourceMatch(im, m, &p)
	if d != nil {
		return nil, d
	}
	maker.wild = p.Wild()
	find := newFinder(c, maker, im)
	var near []int
	for _, f := range functions {
		instances := f.Instances()
		if !p.HasLines() {
			for _, in := range instances {
				find.statement(in, dwarf.Statement{Addr: in.Entry, Line: f.Line})
			}
			continue
		}
		if !p.All && !p.Relative && !slices.ContainsFunc(p.Lines, func(w probepoint.Lines) bool { return w.High >= f.Line }) {
			continue // before its first line
		}
		wanted := p
		if m.Has("nearest") {
			lines, err := info.Lines(f)
			if err != nil {
				return nil, m.Errorf("%s: %v", info.Path(), err)
			}
			wanted = nearest(p, f.Line, lines)
		}
		for _, in := range instances {
			list, err := info.Statements(in)
			if err != nil {
				return nil, m.Errorf("%s: %v", info.Path(), err)
			}
			for _, st := range list {
				near = append(near, st.Line)
				if wanted.Wants(st.Line, f.Line) {
					find.statement(in, st)
				}
			}
		}
	}
	if len(find.sites) > 0 {
		return find.found(), nil
	}
	if len(find.refused) > 0 || len(find.barred) > 0 || find.lost > 0 {
		return nil, find.none(text, len(functions))
	}
	d = m.Errorf("%q: no code begins at that line", text)
	if len(near) > 0 {
		d.Hint = lineHint(&p, near, functions[0].Line)
	}
	return nil, d
}

// statement adds the site of a statement of an instance. Functions that a macro declares
// share lines, and may be inlined into each other: a statement belongs to the innermost.
func (p *pointFinder) statement(in dwarf.Instance, st dwarf.Statement) {
	f, ok := p.around(in)
	if !ok || !p.allows(in, f, st.Addr) {
		return
	}
	key := statementKey{in.Func.File, st}
	if have, ok := p.statements[key]; ok {
		if have.die < in.Die {
			p.statements[key] = innermost{have.site, in.Die}
			p.sites[have.site] = p.at(in, f, st)
		}
		return
	}
	p.statements[key] = innermost{len(p.sites), in.Die}
	p.sites = append(p.sites, p.at(in, f, st))
}

// A statementKey identifies a statement.
type statementKey struct {
	file string
	dwarf.Statement
}

// innermost is the site of a statement in the function that is inlined deepest.
type innermost struct {
	site int // in pointFinder.sites
	die  uint32
}

func (p *pointFinder) at(in dwarf.Instance, a image.BaseSymbol, st dwarf.Statement) *ProbeSite {
	return p.site(in, a, st.Addr, fmt.Sprintf(`%s.statement("%s@%s:%d")`, p.maker.component(p.image), in.Func.Name, in.Func.File, st.Line))
}

// nearest returns p with each of its lines moved to the nearest line of a function that
// has code.
func nearest(p probepoint.Pattern, start int, lines []int) probepoint.Pattern {
	if p.All || len(lines) == 0 {
		return p
	}
	moved := p
	moved.Lines, moved.Relative = nil, false
	for _, s := range p.Lines {
		if p.Relative {
			s.Low, s.High = s.Low+start, s.High+start
		}
		for line := s.Low; line <= min(s.High, s.Low+10000); line++ {
			best := lines[0]
			for _, l := range lines {
				if distance(l, line) < distance(best, line) {
					best = l
				}
			}
			if line >= start && line <= lines[len(lines)-1] || best == line {
				moved.Lines = append(moved.Lines, probepoint.Lines{Low: best, High: best})
			}
		}
	}
	return moved
}

func distance(a, b int) int { return max(a-b, b-a) }

// lineHint names the lines with code around the given one.
func lineHint(p *probepoint.Pattern, lines []int, start int) string {
	slices.Sort(lines)
	want := 0
	if len(p.Lines) > 0 {
		want = p.Lines[0].Low
		if p.Relative {
			want += start
		}
	}
	i, _ := slices.BinarySearch(lines, want)
	var around []string
	if i > 0 {
		around = append(around, strconv.Itoa(lines[i-1]))
	}
	if i < len(lines) {
		around = append(around, strconv.Itoa(lines[i]))
	}
	return "the nearest with code: " + strings.Join(around, " and ") + "; .nearest takes that by itself"
}

// nearestFile suggests a file with a similar name.
func nearestFile(want string, files []string) string {
	base := func(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
	var same, names []string
	for _, f := range files {
		names = append(names, f)
		if base(f) == base(want) {
			same = append(same, f)
		}
	}
	if len(same) > 0 {
		return "there is " + suggest.Enumerate(same, 3)
	}
	return suggest.Hint(want, names)
}
