// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
)

// A Scope is an address in an instance of a function, with the variables that are
// visible there.
type Scope struct {
	Instance
	PC   uint64
	info *Info
	u    *unit
	vars []*Variable
	ret  btf.ID

	// NoCall is set if the function does not follow the calling convention (DW_CC_nocall): arguments may be passed in
	// other registers.
	NoCall bool

	frameBase []byte
}

// A Variable is a parameter or a local variable of a function, or a global variable.
type Variable struct {
	Name   string
	Type   btf.ID // of Info.Types
	Param  bool
	Result bool // in Go: a result of the function
	Global bool

	d        die
	declared uint32 // the DIE of its declaration
	owner    *Scope
}

// maxBlocks bounds the depth of nested blocks.
const maxBlocks = 256

// Scope returns the scope of an address in an instance.
func (i *Info) Scope(in Instance, pc uint64) (*Scope, error) {
	d, err := i.dieOf(in)
	if err != nil {
		return nil, err
	}
	s := &Scope{Instance: in, PC: pc, info: i, u: d.u}
	outer := d
	if in.Outer != nil {
		if outer, err = i.dieOf(*in.Outer); err != nil {
			return nil, err
		}
	}
	outer.origins(func(o die) bool {
		if v, ok := o.attr(dwarf.AttrFrameBase); ok {
			s.frameBase = v.b
		}
		return s.frameBase != nil
	})
	d.origins(func(o die) bool {
		if v, ok := o.attr(dwarf.AttrType); ok {
			s.ret = i.Types().id(v)
		}
		return s.ret != 0
	})
	if n, ok := d.number(dwarf.AttrCalling); ok {
		const noCall = 3 // DW_CC_nocall
		s.NoCall = n == noCall
	}
	seen := map[uint64]bool{} // the abstract origins of variables and blocks that code has
	s.block(d, seen, maxBlocks)
	// Variables that are optimized out everywhere are only in the declaration.
	if origin, ok := d.ref(dwarf.AttrAbstractOrigin); ok {
		s.declared(origin, seen)
	}
	return s, nil
}

// block adds the variables of d and of the blocks in it that contain the address.
// Those of inner blocks come later, and hide those before them.
func (s *Scope) block(d die, seen map[uint64]bool, depth int) {
	if depth == 0 {
		return
	}
	d.eachChild(func(c die) bool {
		switch c.tag {
		case dwarf.TagFormalParameter, dwarf.TagVariable:
			if v, ok := c.attr(dwarf.AttrAbstractOrigin); ok && v.f == s.u.f {
				seen[v.u] = true
			}
			s.variable(c)
		case dwarf.TagLexDwarfBlock:
			if v, ok := c.attr(dwarf.AttrAbstractOrigin); ok && v.f == s.u.f {
				seen[v.u] = true
			}
			if c.covers(s.PC) {
				s.block(c, seen, depth-1)
			}
		}
		return true
	})
}

// declared adds the variables of the function's declaration that its code does not
// have.
func (s *Scope) declared(d die, seen map[uint64]bool) {
	d.eachChild(func(c die) bool {
		if (c.tag == dwarf.TagFormalParameter || c.tag == dwarf.TagVariable) && !seen[uint64(c.off)] {
			s.variable(c)
		}
		return true
	})
}

// variable adds a variable.
func (s *Scope) variable(d die) {
	if v := s.describe(d); v.Name != "" {
		s.vars = append(s.vars, v)
	}
}

// describe returns the variable of the DIE d, for the scope.
func (s *Scope) describe(d die) *Variable {
	v := &Variable{Name: d.name(), Param: d.tag == dwarf.TagFormalParameter, d: d, owner: s}
	d.origins(func(o die) bool {
		v.declared = o.off
		if t, ok := o.attr(dwarf.AttrType); ok && v.Type == 0 {
			v.Type = s.info.Types().id(t)
		}
		v.Result = v.Result || v.Param && o.flag(dwarf.AttrVarParam)
		return false
	})
	v.Param = v.Param && !v.Result
	return v
}

// Result returns the type of the function's result, 0 for void.
func (s *Scope) Result() btf.ID { return s.ret }

// Variables returns the variables, parameters first and as they are declared,
// hidden ones left out.
func (s *Scope) Variables() []*Variable {
	last := map[string]*Variable{}
	for _, v := range s.vars {
		last[v.Name] = v
	}
	var list []*Variable
	for _, params := range []bool{true, false} {
		for _, v := range s.vars {
			if v.Param == params && last[v.Name] == v {
				list = append(list, v)
			}
		}
		if params {
			slices.SortStableFunc(list, func(a, b *Variable) int { return cmp.Compare(a.declared, b.declared) })
		}
	}
	return list
}

// Lookup returns the parameter or local variable of that name, of several the innermost; nil if
// there is none. Variables of files are found by Info.Globals.
func (s *Scope) Lookup(name string) *Variable {
	for n := len(s.vars) - 1; n >= 0; n-- {
		if s.vars[n].Name == name {
			return s.vars[n]
		}
	}
	return nil
}

// ErrOptimizedOut is the error for a variable that has no location at all.
var ErrOptimizedOut = errors.New("the compiler has optimized it out")

// A GoneError is the error for a variable that has no location at an address, but
// has one at others.
type GoneError struct{ Ranges []Range }

func (e *GoneError) Error() string { return "it is nowhere at this address" }

// Location returns the variable's location at the scope's address.
func (v *Variable) Location() (*Location, error) {
	s := v.owner
	if c, ok := v.d.attr(dwarf.AttrConstValue); ok {
		return constValue(c), nil
	}
	list, err := v.d.locations(dwarf.AttrLocation)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		// The location of a static variable is at its declaration.
		if origin, ok := v.d.ref(dwarf.AttrAbstractOrigin); ok {
			if c, ok := origin.attr(dwarf.AttrConstValue); ok {
				return constValue(c), nil
			}
			if list, err = origin.locations(dwarf.AttrLocation); err != nil {
				return nil, err
			}
		}
	}
	gone := &GoneError{}
	for _, e := range list {
		if e.High != 0 && !e.Contains(s.PC) {
			gone.Ranges = append(gone.Ranges, e.Range)
			continue
		}
		if len(e.expr) == 0 {
			continue
		}
		return v.locate(e, s.PC)
	}
	if len(gone.Ranges) > 0 {
		return nil, gone
	}
	return nil, ErrOptimizedOut
}

// Kept reports whether the variable has one location in the frame in the whole function, or is pointed to from one.
func (v *Variable) Kept() bool {
	list, err := v.d.locations(dwarf.AttrLocation)
	if err != nil || len(list) != 1 || list[0].High != 0 {
		return false
	}
	loc, err := v.locate(list[0], v.owner.PC)
	return err == nil && len(loc.Pieces) == 1 && loc.Pieces[0].Kind == InMemory && loc.Pieces[0].X.inFrame()
}

// locate evaluates one of the variable's locations at an address.
func (v *Variable) locate(e locEntry, pc uint64) (*Location, error) {
	s := v.owner
	start := s.Entry
	if s.Outer != nil {
		start = s.Outer.Low
	}
	m := exprBuilder{u: v.d.u, pc: pc, entry: pc == start, frameBase: s.frameBase, scope: s}
	return m.location(e.expr)
}

// Ranges returns the code for which the variable has a value, nil for the whole
// function; ok is false if it has none anywhere.
func (v *Variable) Ranges() (list []Range, ok bool) {
	if _, isConst := v.d.attr(dwarf.AttrConstValue); isConst {
		return nil, true
	}
	entries, err := v.d.locations(dwarf.AttrLocation)
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if len(e.expr) == 0 {
			continue
		}
		if e.High == 0 {
			return nil, true
		}
		if _, err := v.locate(e, e.Low); err != nil {
			continue
		}
		if n := len(list); n > 0 && list[n-1].High == e.Low {
			list[n-1].High = e.High
			continue
		}
		list = append(list, e.Range)
	}
	return list, len(list) > 0
}

// constValue is the location of a variable with a constant value.
func constValue(c value) *Location {
	if c.b != nil {
		return &Location{[]Piece{{Kind: IsBytes, Bytes: c.b}}}
	}
	if c.s != "" {
		return &Location{[]Piece{{Kind: IsBytes, Bytes: append([]byte(c.s), 0)}}}
	}
	return &Location{[]Piece{{Kind: IsValue, X: &Expr{Op: OpConst, N: int64(c.u)}}}}
}

// Globals returns the global variables called name, with or without their scopes, in the files that
// file accepts: the file is that of the variable's declaration or the compilation unit.
func (i *Info) Globals(name string, file func(string) bool) ([]*Variable, error) {
	var list []*Variable
	for _, n := range i.called(len(i.globals), func(n int) uint32 { return i.globals[n].Name }, name) {
		g := &i.globals[n]
		if !file(i.text(g.File)) && (g.Unit >= uint32(len(i.units)) || !file(i.text(i.units[g.Unit].Name))) {
			continue
		}
		d, err := i.dieOf(Instance{Die: g.Die, unit: g.Unit})
		if err != nil {
			return nil, err
		}
		s := &Scope{info: i, u: d.u}
		s.variable(d)
		for _, v := range s.vars {
			v.Global = true
		}
		list = append(list, s.vars...)
	}
	return list, nil
}

// UnitName returns the source file whose compilation made the scope's code.
func (s *Scope) UnitName() string { return s.u.name }
