// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// container writes the value at l if its type has a form of its own: a string, a slice, a map. It reports whether
// it has.
func (p *rendition) container(l *location, levels int) bool {
	types, ok := l.types.(*dwarf.Types)
	if !ok {
		return false
	}
	switch kind, _, _ := types.Go(l.typ); kind {
	case dwarf.GoString:
		p.goString(l)
	case dwarf.GoSlice:
		p.goSlice(l, levels)
	case dwarf.GoMap:
		return p.goMap(l, levels)
	case dwarf.GoInterface:
		return p.goInterface(l, levels)
	default:
		return p.cplusplus(l, levels) || p.rust(l, levels)
	}
	return true
}

// opaque writes ? for a value that can't be read, and reports whether that is so.
func (p *rendition) opaque(failed ...*syntax.Diagnostic) bool {
	for _, d := range failed {
		if d != nil {
			p.text("?")
			return true
		}
	}
	return false
}

// when writes then if a condition is true at run time, else otherwise.
func (p *rendition) when(condition program.Expr, then func(q *rendition), otherwise string) {
	at := p.r.x.At
	q := p.inner()
	then(q)
	p.full = p.full || q.full
	p.format.WriteString("%s")
	p.args = append(p.args, &program.Cond{At: at, If: condition,
		Then: q.sprint(""),
		Else: &program.Print{At: at, Format: otherwise, Sprint: true}})
}

// elements writes n values in brackets; element returns the i-th.
func (p *rendition) elements(n program.Expr, levels int, element func(i int64) *location) {
	if levels <= 0 {
		p.text("[...]")
		return
	}
	p.text("[")
	p.list(n, maxElements, func(q *rendition, i int64) { q.show(element(i), levels-1) })
	p.text("]")
}

// list writes the first of n values, up to a limit; one writes the i-th.
func (p *rendition) list(n program.Expr, limit int64, one func(q *rendition, i int64)) {
	at := p.r.x.At
	more := func(i int64) program.Expr {
		return &program.Compare{At: at, Op: ">", X: n, Y: &program.Number{At: at, Value: i}}
	}
	for i := int64(0); i < limit && !p.full; i++ {
		p.when(more(i), func(q *rendition) {
			if i > 0 {
				q.text(", ")
			}
			q.readable(func(q *rendition) { one(q, i) })
		}, "")
	}
	p.when(more(limit), func(q *rendition) { q.text(", ...") }, "")
}

// textOf writes the n bytes of text at addr, in a program.
func (p *rendition) textOf(addr, n program.Expr) { p.arg(`"%s"`, p.r.textOf(addr, n)) }

// textOf returns the n bytes of text at addr, in a program, which a function of the tapset library reads.
func (r *resolution) textOf(addr, n program.Expr) program.Expr {
	return r.call("user_string_n", addr, n, &program.Text{At: r.x.At, Value: "?"})
}

// call returns a call of a function of the tapset library; its arguments are synthesized target variables.
func (r *resolution) call(name string, args ...program.Expr) program.Expr {
	at := r.x.At
	call := &syntax.CallExpr{At: at, Name: name}
	for _, arg := range args {
		switch arg := arg.(type) {
		case *program.Text:
			call.Args = append(call.Args, &syntax.StringLit{At: at, Value: arg.Value})
		case *program.Number:
			call.Args = append(call.Args, &syntax.NumberLit{At: at, Value: arg.Value})
		default:
			operand := &syntax.TargetVar{At: at, Name: "operand"}
			r.made[operand] = &program.Value{X: arg}
			call.Args = append(call.Args, operand)
		}
	}
	return &program.ScriptExpr{X: call}
}

// part returns the location of a member, by its path.
func (l *location) part(path ...string) (*location, *syntax.Diagnostic) {
	for _, name := range path {
		var d *syntax.Diagnostic
		if l, d = l.member(syntax.Access{At: l.at, Member: name}); d != nil {
			return nil, d
		}
	}
	return l, nil
}

// number returns the value of a member, by its path.
func (l *location) number(path ...string) (program.Expr, *syntax.Diagnostic) {
	in, d := l.part(path...)
	if d != nil {
		return nil, d
	}
	return in.value()
}

// nth returns the location of the i-th of consecutive values of a type, at the pointer l.
func (l *location) nth(typ btf.ID, i int64) (*location, *syntax.Diagnostic) {
	addr, d := l.value()
	if d != nil {
		return nil, d
	}
	size := l.types.Size(typ)
	return &location{types: l.types, full: l.full, at: l.at, what: fmt.Sprintf("%s[%d]", l.what, i), typ: typ,
		addr: addr, pos: 8 * i * size, user: true}, nil
}

// alternative begins one of several alternatives: its limits count from the common beginning, and chosen records the longest.
func (p *rendition) alternative() *rendition {
	shown := *p.shown
	return &rendition{r: p.r, shown: &shown, before: shown, dynamically: p.dynamically, owners: p.owners}
}

// chosen records how much an alternative shows.
func (p *rendition) chosen(q *rendition) {
	p.longest = max(p.longest, *q.shown-q.before)
}

// settle counts the longest alternative.
func (p *rendition) settle() {
	*p.shown += p.longest
	p.longest = 0
}

// bytes writes n bytes at addr as text with escapes.
func (p *rendition) bytes(addr, n program.Expr) {
	p.arg("%s", p.r.call("user_buffer_quoted", addr, n))
}

// A sequence is consecutive values: of a std::vector, a Vec, a slice.
type sequence struct {
	first *location // the pointer to the first
	n     program.Expr
	elem  btf.ID
}

// vectorOf returns the elements of a std::vector of C++, or a Vec or slice of Rust; nil if l is none.
func vectorOf(types *dwarf.Types, l *location) *sequence {
	if types.Kind(l.real()) != btf.Struct {
		return nil
	}
	if v := cplusplusVector(types, l); v != nil {
		return v
	}
	return rustVector(types, l)
}

// sequence writes the first elements; bytes, which are too many for numbers, as text if asText is set.
func (p *rendition) sequence(v *sequence, levels int, asText bool) bool {
	addr, d := v.first.value()
	if d != nil {
		return false
	}
	if asText {
		p.bytes(addr, v.n)
		return true
	}
	p.elements(v.n, levels, func(i int64) *location {
		in, _ := v.first.nth(v.elem, i)
		return in
	})
	return true
}
