// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// sourceVariable returns the location of a variable by debuginfo.
func (r *resolution) sourceVariable(s *scope, name string) (*location, *syntax.Diagnostic) {
	v := s.Lookup(name)
	if v == nil {
		if found, err := s.Info.Globals(name, func(file string) bool { return file == s.UnitName() || file == s.Func.File }); err == nil && len(found) > 0 {
			v = found[0]
		}
	}
	if v == nil {
		return nil, r.noVariable(s, name)
	}
	l, err := r.at(s, v)
	if err != nil {
		return nil, r.gone(s, v, err)
	}
	return l, nil
}

var errRust = errors.New("debuginfo says only where it is later on, and how Rust passes it, or what is before it, is Rust's own affair")

var errNoCall = errors.New("the compiler has changed how arguments are passed here, and debuginfo says only where it is later on")

// at returns the location of a variable.
func (r *resolution) at(s *scope, v *dwarf.Variable) (*location, error) {
	loc, err := v.Location()
	if err != nil {
		return nil, err
	}
	if s.entry && v.Param && v.Kept() && !strings.Contains(s.Symbol, ".") {
		if s.IsGo() {
			return r.goPassed(s, v), nil
		}
		if s.NoCall {
			return nil, errNoCall
		}
		if s.IsRust() && !passedAsInC(s, v) {
			return nil, errRust
		}
		return r.passed(s, v), nil
	}
	own := *s
	own.resolution = r
	s = &own
	l := &location{types: s.Info.Types(), full: s.full, at: r.x.At, what: "$" + v.Name, typ: v.Type, user: s.User()}
	if len(loc.Pieces) == 1 && loc.Pieces[0].Bits == 0 {
		switch p := loc.Pieces[0]; p.Kind {
		case dwarf.Nowhere:
			return nil, dwarf.ErrOptimizedOut
		case dwarf.InMemory:
			l.addr, err = s.expr(r.x.At, p.X)
			return l, err
		case dwarf.InRegister:
			x, err := s.register(r.x.At, p.N)
			l.regs = []program.Expr{x}
			if machine.Visible(p.N) {
				l.store = x
			}
			return l, err
		}
	}
	size := l.types.Size(l.typ)
	if size == 0 && len(loc.Pieces) == 1 {
		size = int64(len(loc.Pieces[0].Bytes)) // a literal, which has no type
	}
	l.regs, l.lost, err = s.words(r.x.At, loc.Pieces, size)
	l.pointees = r.pointees(s, loc.Pieces)
	return l, err
}

// passed returns the location where a parameter is passed. The location in debuginfo, if
// it is one for the whole function, is not valid yet at the first instruction.
func (r *resolution) passed(s *scope, v *dwarf.Variable) *location {
	p := &btf.Proto{Result: s.Result()}
	at := 0
	for _, one := range s.Variables() {
		if !one.Param {
			continue
		}
		if one == v {
			at = len(p.Params)
		}
		p.Params = append(p.Params, btf.Param{Name: one.Name, Type: one.Type})
	}
	l := paramLocation(s.Info.Types(), p, at, r.x.At)
	l.full, l.user = s.full, s.User()
	return l
}

// noVariable is the error for the name of no variable.
func (r *resolution) noVariable(s *scope, name string) *syntax.Diagnostic {
	var names []string
	for _, v := range s.Variables() {
		names = append(names, v.Name)
	}
	if r.atReturn && s.Result() != 0 {
		names = append(names, "return")
	}
	d := &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("no $%s in %s: ", name, s.Func.Name) + s.listVisible()}
	d.InStap("unable to find local '%s', [man error::dwarf] in %s%s", name, s.Func.Name, alternatives("$", names))
	if near := suggest.Nearest(name, names, 1); len(near) > 0 {
		d.Hint = "did you mean $" + near[0] + "?"
	}
	return d
}

// gone is the error for a variable that has no value at the address.
func (r *resolution) gone(s *scope, v *dwarf.Variable, err error) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$%s: %v; %s", v.Name, err, s.listVisible())}
	ranges, _ := v.Ranges()
	var shown []string
	for _, part := range ranges {
		shown = append(shown, s.spell(part))
	}
	if len(shown) > 0 {
		d.Hint = fmt.Sprintf("$%s has a value at %s", v.Name, suggest.Enumerate(shown, 6))
	}
	return d
}

// fileVariable resolves @var("NAME@FILE").
func (r *resolution) fileVariable() (*location, *syntax.Diagnostic) {
	name, file, _ := strings.Cut(r.x.Name, "@")
	im, d := r.imageOf(r.x.Module)
	if d != nil {
		return nil, d
	}
	p := probepoint.Pattern{File: file}
	found, err := im.Info.Globals(name, p.MatchesFile)
	if err != nil {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: err.Error()}
	}
	if len(found) == 0 {
		d := &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("@var(%q): no such variable", r.x.Name)}
		if file != "" {
			d.Msg = fmt.Sprintf("@var(%q): no file %q has a variable %s of its own", r.x.Name, file, name)
		}
		if im.Info.IsSubset {
			d.Msg += ", in what the probe cache holds of the debuginfo"
		}
		return nil, d
	}
	s := &scope{Source: im, full: r.types}
	if from := r.Source(); from != nil && from.ID() == im.ID() {
		s.addr = r.probedAddr()
	}
	l, err := r.at(s, found[0])
	if err != nil {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("@var(%q): %v", r.x.Name, err)}
	}
	l.what = fmt.Sprintf("@var(%q)", r.x.Name)
	return l, nil
}

// imageOf returns the image that @var's last argument names: the kernel, a module, or for
// "" the one that the probe is in.
func (r *resolution) imageOf(module string) (*image.Source, *syntax.Diagnostic) {
	what := fmt.Sprintf("the place of the variable @var(%q)", r.x.Name)
	switch {
	case module == "" && r.Source() != nil:
		return r.Source(), nil
	case kernelModule(module):
		info, d := r.env.Target.Debuginfo().Need(r.x.At, what, nil)
		if d != nil {
			return nil, d
		}
		return r.env.Target.Source(info), nil
	case r.env.isProgram(module):
		return r.env.programSource(r.x.At, module, what)
	}
	m, d := r.env.Target.OneModule(r.x.At, module)
	if d != nil {
		return nil, d
	}
	return r.env.Target.ModuleSource(r.x.At, m.File.Path, what, nil)
}
