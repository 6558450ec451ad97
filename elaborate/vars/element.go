// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"math"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// index returns the element of l with the index a; l is an array, a pointer, a slice, a string, or the like.
func (r *resolution) index(l *location, a syntax.Access) (*location, *syntax.Diagnostic) {
	l, d := l.direct()
	if d != nil {
		return nil, d
	}
	array, length := l.sliced()
	if array != nil {
		l = array
	}
	out := *l
	switch l.types.Kind(l.real()) {
	case btf.Array:
		out.typ = l.types.Target(l.real())
	case btf.Pointer:
		in, d := l.deref()
		if d != nil {
			return nil, d
		}
		out = *in
	default:
		d := l.fail("%s is %s: it has no elements", l.what, article(l.types.String(l.typ)))
		d.Pos = a.At
		return nil, d
	}
	if length == nil {
		return out.element(a)
	}
	addr, fixed := bounded(a, out.addr, length)
	if out.addr = addr; fixed {
		return out.element(a)
	}
	// It is computed once, in a call.
	size := &program.Number{At: a.At, Value: out.types.Size(out.typ)}
	out.addr = r.call("__element", out.addr, &program.ScriptExpr{X: a.Index}, length, size)
	out.what, out.store = l.what+"[…]", nil
	return &out, nil
}

// bounded returns addr, the address of length elements, or, if the index a is out of range, an invalid address. False: the
// index is no number or variable, and would be computed twice.
func bounded(a syntax.Access, addr, length program.Expr) (program.Expr, bool) {
	var index program.Expr
	if n, ok := constant(a.Index); ok {
		index = &program.Number{At: a.At, Value: n}
	} else if _, ok := a.Index.(*syntax.Ident); ok {
		index = &program.ScriptExpr{X: a.Index}
	} else {
		return addr, false
	}
	within := &program.Logical{At: a.At, Op: "&&",
		X: &program.Compare{At: a.At, Op: ">=", X: index, Y: &program.Number{At: a.At}},
		Y: &program.Compare{At: a.At, Op: "<", X: index, Y: length}}
	return &program.Cond{At: a.At, If: within, Then: addr, Else: &program.Number{At: a.At, Value: math.MinInt64}}, true
}

// sliced returns the location of the pointer to the elements of l, and their number, if l is a slice, a string, or the like; else nil.
func (l *location) sliced() (array *location, length program.Expr) {
	types, ok := l.types.(*dwarf.Types)
	if !ok {
		return nil, nil
	}
	switch kind, _, _ := types.Go(l.typ); kind {
	case dwarf.GoSlice:
		array, _ = l.part("array")
		length, _ = l.number("len")
		return array, length
	case dwarf.GoString:
		array, _ = l.part("str")
		length, _ = l.number("len")
		return array, length
	}
	if l = l.complete(); types.Kind(l.real()) != btf.Struct {
		return nil, nil
	}
	if text, n := cplusplusText(types, l); text != nil {
		return text, n
	}
	if v := vectorOf(types, l); v != nil {
		return v.first, v.n
	}
	return nil, nil
}

// element returns the element with the index a of consecutive values like l.
func (l *location) element(a syntax.Access) (*location, *syntax.Diagnostic) {
	out := *l
	size := out.types.Size(out.typ)
	if size == 0 {
		return nil, l.fail("the elements of %s have no known size: they are %s", l.what, out.types.String(out.typ))
	}
	out.what, out.store = l.what+"[…]", nil
	if n, ok := constant(a.Index); ok {
		if n > 1<<40 || n < -1<<40 {
			return nil, l.fail("the index %d is out of all bounds", n)
		}
		out.what = fmt.Sprintf("%s[%d]", l.what, n)
		out.pos += n * size * 8
		return &out, nil
	}
	if out.addr == nil {
		return nil, l.fail("%s is in a register: its index must be a constant", l.what)
	}
	out.addr = &program.Binary{At: a.At, Op: "+", X: out.addr, Y: &program.Binary{
		At: a.At, Op: "*", X: &program.ScriptExpr{X: a.Index}, Y: &program.Number{At: a.At, Value: size}}}
	return &out, nil
}
