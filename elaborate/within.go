// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// within finds what lies in functions: .label("NAME"), .callee("NAME") and .callees.
func (s *session) within(im *image, functions []dwarf.Func, maker *placeMaker, text string) ([]*Place, *syntax.Diagnostic) {
	m := maker.m
	if depth := m.number("callees", 1); depth != 1 {
		return nil, m.errorf("callees(%d): only what a function calls itself is found, which is callees(1)", depth)
	}
	find := newFinder(s, maker, im)
	var near []string
	for _, f := range functions {
		for _, in := range f.Instances() {
			var err error
			var names []string
			if m.has("label") {
				names, err = find.labels(in)
			} else {
				names, err = find.callees(in)
			}
			if err != nil {
				return nil, m.errorf("%s: %v", im.info.Path(), err)
			}
			near = append(near, names...)
		}
	}
	if len(find.places) > 0 {
		return find.found(), nil
	}
	if len(find.refused) > 0 || len(find.barred) > 0 {
		return nil, find.none(text, len(functions))
	}
	what := "calls no function of a name that matches, or not in a way that can be told"
	if m.has("label") {
		what = "has no label with code behind it that matches"
	}
	d := m.errorf("%q %s", text, what)
	if len(near) > 0 {
		d.Hint = "there is " + enumerate(near, 20)
	}
	return nil, d
}

// labels adds the labels of an instance, and returns the names of all.
func (p *pointFinder) labels(in dwarf.Instance) (names []string, err error) {
	list, err := p.image.info.Labels(in)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		names = append(names, l.Name)
		if !symbols.Match(p.maker.m.text("label"), l.Name) {
			continue
		}
		if a, ok := p.around(in); ok && p.allows(in, a, l.Addr) {
			p.places = append(p.places, p.place(in, a, l.Addr, p.maker.name(in.Func, fmt.Sprintf(".label(%q)", l.Name))))
		}
	}
	return names, nil
}

// callees adds what an instance calls, each to run only if called from there,
// and returns the names of all.
func (p *pointFinder) callees(in dwarf.Instance) (names []string, err error) {
	m := p.maker.m
	want := "*"
	if m.has("callee") {
		want = m.text("callee")
	}
	wanted, err := parsePattern(want)
	if err != nil {
		return nil, err
	}
	list, err := p.image.info.Calls(in)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		names = append(names, c.Name)
		if !wanted.matchesName(c.Name) || !wanted.matchesFile(c.Target.Func.File) || c.Target.Inlined && m.has("call") {
			continue
		}
		before := len(p.places)
		p.seen = map[uint64]bool{} // a function may be called from several
		p.instance(c.Target)
		for _, place := range p.places[before:] {
			f := c.Target.Func
			place.Point.Name = p.maker.name(in.Func, fmt.Sprintf(`.callee("%s@%s:%d")`, f.Name, f.File, f.Line))
			if len(c.Returns) > 0 {
				p.guard(place, c.Returns)
			}
		}
	}
	return names, nil
}

// guard has a place's handler run only if the function is to return to one of
// these addresses.
func (p *pointFinder) guard(place *Place, returns []uint64) {
	vars, ok := place.Vars.(*functionVars)
	if !ok {
		return
	}
	at := p.maker.m.at()
	caller := &program.Deref{At: at, Addr: &program.Register{At: at, Number: dwarfRSP}, Size: 8}
	var is program.Expr
	for _, addr := range returns {
		symbol, offset, err := p.image.locate(addr)
		if err != nil {
			continue
		}
		this := &program.Compare{At: at, Op: "==", X: caller,
			Y: plus(at, &program.SymbolAddr{At: at, Module: p.image.module, Symbol: symbol}, offset)}
		if is == nil {
			is = this
		} else {
			is = &program.Binary{At: at, Op: "|", X: is, Y: this}
		}
	}
	test := &syntax.TargetVar{At: at, Name: "caller"}
	vars.given = map[syntax.Expr]program.Expr{test: is}
	place.Before = &syntax.Block{Stmts: []syntax.Stmt{&syntax.IfStmt{
		At: at, Cond: &syntax.UnaryExpr{At: at, Op: "!", X: test}, Then: &syntax.NextStmt{At: at}}}}
}
