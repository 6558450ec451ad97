// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/suggest"
)

// spell spells a point in a program: what names that, and a component behind it.
func (p *probed) spell(format string, args ...any) string {
	text := p.maker.component(p.Program) + fmt.Sprintf(format, args...)
	for _, word := range []string{"call", "exported", "return"} {
		if p.maker.m.Has(word) {
			text += "." + word
		}
	}
	return text
}

// place makes the place at an address, as linked, or where what begins there returns.
func (p *probed) place(name, function string, addr uint64, v *vars.Resolver, wild bool) *Place {
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
	return &Place{Wild: wild, Point: point, Vars: v}
}

// nearest suggests functions for a name that none has, "" for none.
func (p *probed) nearest(name string) string {
	if near := p.Symbols().Nearest(name, 3); len(near) > 0 {
		return suggest.DidYouMean(near)
	}
	return ""
}
