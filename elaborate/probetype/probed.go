// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/vars"
	"gostap/internal/qualified"
	"gostap/translator/program"
	"gostap/translator/suggest"
)

// spell spells a point in a program: the components that name the program, and another one.
func (p *probed) spell(format string, args ...any) string {
	text := p.maker.component(p.Program) + fmt.Sprintf(format, args...)
	for _, word := range []string{"call", "exported", "return"} {
		if p.maker.m.Has(word) {
			text += "." + word
		}
	}
	return text
}

// siteAt makes the site at an address, as linked; for .return, that of the returns of the function that begins there.
func (p *probed) siteAt(name, function string, addr uint64, v *vars.Resolver, wild bool) *ProbeSite {
	m := p.maker.m
	point := &program.Point{
		At:      m.At,
		Family:  Family(p.Program, m.Has("return")),
		Name:    name,
		Func:    function,
		Site:    p.Site(addr),
		Program: p.maker.program,
		Args:    p.maker.args,
	}
	if m.Has("return") {
		v = v.Return()
	}
	return &ProbeSite{Wild: wild, Point: point, Vars: v}
}

// functionSite makes the site of a function of size bytes at an address, as linked, or of its returns.
func (p *probed) functionSite(name, function string, addr, size uint64, v *vars.Resolver, wild bool) *ProbeSite {
	site := p.siteAt(name, function, entry(p.Program, addr), v, wild)
	if p.maker.m.Has("return") {
		site.Point.Returns = returns(p.Program, addr, size)
	}
	return site
}

// function makes the site of the function that begins at an address, as linked. Debuginfo may describe it by another name.
func (p *probed) function(name string, addr uint64, wild bool) *ProbeSite {
	c := p.maker.c
	in, ok := p.described(addr)
	if !ok {
		return p.functionSite(p.spell(".function(%q)", qualified.Demangled(name)), qualified.Name(name), addr, p.size(name, addr), c.Symbol(p.Program, name, addr), wild)
	}
	statement := vars.Statement{Source: &image.Source{Image: p.Program, Info: p.info}, Instance: in, Addr: entry(p.Program, addr), Entry: true}
	return p.functionSite(p.spell("%s", functionAt(in.Func)), in.Func.Name, addr, in.High-in.Low, c.Statement(statement, p.maker.warn), wild)
}

// size returns how many bytes the function of a symbol at an address has, 0 if that is not known.
func (p *probed) size(name string, addr uint64) uint64 {
	for _, f := range p.Symbols().Lookup(name) {
		if f.Addr == addr {
			return uint64(f.Size)
		}
	}
	return 0
}

// described returns the function that begins at an address, as linked, if the debuginfo describes one.
func (p *probed) described(addr uint64) (dwarf.Instance, bool) {
	if p.info == nil {
		return dwarf.Instance{}, false
	}
	in, ok := p.info.At(addr)
	return in, ok && in.Low == addr
}

// nearest suggests functions with similar names, "" for none.
func (p *probed) nearest(name string) string {
	if near := p.Symbols().Nearest(name, 3); len(near) > 0 {
		return suggest.DidYouMean(near)
	}
	return ""
}
