// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"slices"

	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/elaborate/vars"
	"gostap/internal/glob"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	registerProcess(processMark, true, "mark(string)", "provider(string).mark(string)")
}

// processMark builds process.mark: static marks, which sys/sdt.h makes.
func processMark(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	name, provider := m.Text("mark"), "*"
	if m.Has("provider") {
		provider = m.Text("provider")
	}
	wild := executable.Wild(name) || executable.Wild(m.Text("provider"))
	find := func(p *probed) ([]*ProbeSite, *syntax.Diagnostic) {
		marks, err := p.Marks()
		if err != nil {
			return nil, m.Errorf("%v", err)
		}
		var sites []*ProbeSite
		var names []string
		barred := ""
		for i := range marks {
			mark := &marks[i]
			if !slices.Contains(names, mark.Name) {
				names = append(names, mark.Name)
			}
			if !glob.Match(name, mark.Name) || !glob.Match(provider, mark.Provider) {
				continue
			}
			if why := p.Refusal(mark.Addr, mark.Addr, true); why != "" {
				barred = why
				continue
			}
			sites = append(sites, c.markSite(p, mark, wild))
		}
		switch {
		case len(sites) > 0:
			return sites, nil
		case barred != "":
			return nil, m.Errorf("the mark %q can't be probed: %s", name, barred)
		case len(marks) == 0:
			return nil, m.Errorf("%s has no static marks", p)
		}
		d := m.Errorf("%s has no static mark %q", p, name)
		if m.Has("provider") {
			d.Msg += fmt.Sprintf(" of a provider %q", provider)
		}
		if d.Hint = suggest.Hint(name, names); d.Hint == "" {
			d.Hint = "there is " + suggest.Enumerate(names, 20)
		}
		return nil, d
	}
	sites, d := c.inPrograms(m, find)
	if paths, pid, none := c.processPaths(m); none == nil {
		if pid = c.markedProcess(m, paths, pid); pid != 0 {
			sites = append(sites, c.mappedMarks(m, pid, paths[0], find)...)
		}
	}
	if len(sites) > 0 {
		return sites, nil
	}
	return nil, d
}

// markSite makes the site of a static mark.
func (c *Context) markSite(p *probed, mark *executable.Mark, wild bool) *ProbeSite {
	at := p.maker.m.At
	l := vars.Listed{
		Title: fmt.Sprintf("the mark %q", mark.Name),
		Texts: map[string]string{"name": mark.Name, "provider": mark.Provider},
		Addr:  mark.Addr,
	}
	function := ""
	if info, err := p.Debuginfo().Any(); err == nil {
		l.Source = &image.Source{Image: p.Program, Info: info}
		if in, ok := info.At(mark.Addr); ok {
			function = in.Func.Name
		}
	}
	for i, text := range mark.Args {
		v := vars.ListedValue{Name: fmt.Sprintf("arg%d", i+1)}
		o, err := executable.ParseOperand(text)
		if err == nil {
			if o.Float {
				v.Float, o.Signed = o.Size, false
			}
			v.X, err = p.operand(at, mark, o, text)
		}
		if err != nil {
			v.Err = err.Error()
		}
		l.Values = append(l.Values, v)
	}
	name := p.spell(".mark(%q)", mark.Name)
	if p.maker.m.Has("provider") {
		name = p.spell(".provider(%q).mark(%q)", mark.Provider, mark.Name)
	}
	site := p.siteAt(name, function, mark.Addr, c.Listed(l), wild)
	if mark.Semaphore != 0 {
		site.Point.RefCounter, _ = p.FileOffset(mark.Semaphore)
	}
	return site
}

// operand returns the value of a mark's operand o, which is written text: of floating point its bits.
func (p *probed) operand(at syntax.Pos, mark *executable.Mark, o executable.Operand, text string) (x program.Expr, err error) {
	number := func(n int64) program.Expr { return &program.Number{At: at, Value: n} }
	base := number(o.N)
	if o.Symbol != "" {
		find := p.Symbol
		if o.GOT {
			find = p.GOTSlot
		}
		addr, ok := find(o.Symbol)
		if !ok {
			return nil, fmt.Errorf("its operand %s counts from a symbol that %s does not have", text, p)
		}
		if base, err = p.Address(at, addr+uint64(o.N), mark.Addr); err != nil {
			return nil, err
		}
	}
	narrow := func(x program.Expr) program.Expr {
		if o.Size == 8 {
			return x
		}
		return &program.Cast{At: at, X: x, Size: o.Size, Signed: o.Signed}
	}
	plus := func(x, y program.Expr) program.Expr {
		if n, ok := y.(*program.Number); ok {
			return program.Plus(at, x, n.Value)
		}
		return &program.Binary{At: at, Op: "+", X: x, Y: y}
	}
	register := func(n int) program.Expr { return &program.Register{At: at, Number: n} }
	switch o.Kind {
	case executable.Constant:
		return narrow(base), nil
	case executable.InRegister:
		x := register(o.Base)
		if o.Low > 0 {
			x = &program.Binary{At: at, Op: ">>>", X: x, Y: number(int64(o.Low))}
		}
		return narrow(x), nil
	}
	addr := base
	if o.Index != executable.NoRegister {
		index := register(o.Index)
		if o.Scale > 1 {
			index = &program.Binary{At: at, Op: "*", X: index, Y: number(o.Scale)}
		}
		addr = plus(index, addr)
	}
	if o.Base != executable.NoRegister {
		addr = plus(register(o.Base), addr)
	}
	return &program.Deref{At: at, Addr: addr, Size: o.Size, Signed: o.Signed, User: true}, nil
}
