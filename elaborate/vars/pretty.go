// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Limits of one rendition.
const (
	maxShown    = 32 // numbers and strings
	maxElements = 5  // of an array
	maxLevels   = 16 // of structs in structs
	floatDigits = 6  // behind the point
)

// A rendition is a sprintf that is being composed.
type rendition struct {
	r      *resolution
	format strings.Builder
	args   []program.Expr
	shown  *int // numbers and strings so far, of the whole
	full   bool

	before  int // the number of values shown before this alternative
	longest int // the largest number of values that one alternative shows

	owners      int  // smart pointers that have been followed so far
	dynamically bool // inside the value of an interface: interfaces in it are not followed
}

// levelsOf returns how many levels of structs $x$ and $x$$ show.
func levelsOf(pretty int) int {
	if pretty > 1 {
		return maxLevels
	}
	return 1
}

func (p *rendition) text(s string) {
	p.format.WriteString(strings.ReplaceAll(s, "%", "%%"))
}

// arg adds one argument, unless there are too many.
func (p *rendition) arg(directive string, x program.Expr) {
	if *p.shown++; *p.shown > maxShown {
		p.full = true
		p.text("...")
		return
	}
	p.format.WriteString(directive)
	p.args = append(p.args, x)
}

func (p *rendition) value(at syntax.Pos) *program.Value {
	return &program.Value{X: p.sprint("")}
}

// sprint returns the text of the whole; otherwise, if it is not "", takes its place where memory can't be read.
func (p *rendition) sprint(otherwise string) *program.Print {
	return &program.Print{At: p.r.x.At, Format: p.format.String(), Args: p.args, Sprint: true, Else: otherwise}
}

// inner begins a part of the whole.
func (p *rendition) inner() *rendition {
	return &rendition{r: p.r, shown: p.shown, dynamically: p.dynamically, owners: p.owners}
}

// all resolves $$parms, $$vars, $$locals and $$return: name=value, with
// spaces between.
func (r *resolution) all() *program.Value {
	p := &rendition{r: r, shown: new(int)}
	switch name := r.x.Name[1:]; name {
	case "return":
		if list, ok := r.goResults(); ok {
			if len(list) == 1 {
				list[0].name = "return"
			}
			p.results(list, "", " ")
			break
		}
		l, d := r.result()
		if d != nil && r.atReturn {
			break // returns nothing: ""
		}
		if d != nil {
			return failed(r.x.At, d)
		}
		p.variable("return", l)
	case "parms", "vars", "locals":
		list, d := r.variables("$$"+name, name != "locals", name != "parms")
		if d != nil {
			return failed(r.x.At, d)
		}
		for i, v := range list {
			if i > 0 {
				p.text(" ")
			}
			p.variable(v.name, v.at)
		}
	case "name", "system":
		t := r.tracepoint()
		if t == nil {
			return failed(r.x.At, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$$%s is a tracepoint's: it is known only in kernel.trace probes", name)})
		}
		text := t.trace.Name
		if name == "system" {
			text = t.trace.System
		}
		return &program.Value{X: &program.Text{At: r.x.At, Value: text}}
	default:
		return failed(r.x.At, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$$%s is not known", name),
			Hint: "there are $$vars, $$parms, $$locals and $$return"})
	}
	return p.value(r.x.At)
}

// A named is a variable with its location, nil if it has none.
type named struct {
	name string
	at   *location
}

// variables returns the variables of $$parms, $$locals or $$vars, which what names.
func (r *resolution) variables(what string, params, locals bool) ([]named, *syntax.Diagnostic) {
	var list []named
	if s := r.exact(); s != nil {
		for _, v := range s.Variables() {
			if v.Param && params || !v.Param && locals && !strings.HasPrefix(v.Name, "~") {
				one := *r
				one.summary = true
				l, err := one.at(s, v)
				if err != nil {
					l = nil
				}
				list = append(list, named{v.Name, l})
			}
		}
		return list, nil
	}
	proto, d := r.prototype(what)
	if d != nil || !params {
		return nil, d
	}
	for i, param := range proto.Params {
		list = append(list, named{param.Name, r.site.param(r.types, proto, i, r.x.At)})
	}
	return list, nil
}

// variable writes name=value, as C would print it or as a number.
func (p *rendition) variable(name string, l *location) {
	p.text(name + "=")
	if l == nil {
		p.text("?")
		return
	}
	if p.r.x.Pretty > 0 {
		p.readable(func(q *rendition) { q.top(l, p.r.x.Pretty) })
		return
	}
	shown := false
	p.readable(func(q *rendition) { shown = q.container(l, 0) })
	if shown {
		return
	}
	x, d := l.value()
	switch {
	case d != nil:
		p.text("?")
	case l.types.Kind(l.real()) == btf.Float:
		p.number(l)
	default:
		p.arg("%#x", x)
	}
}

// pretty resolves $x$ and $x$$; it is ? where memory can't be read.
func (r *resolution) pretty(l *location, depth int) *program.Value {
	p := &rendition{r: r, shown: new(int)}
	p.top(l, depth)
	text := p.sprint("")
	if r.fallible(text) {
		text.Else = "?"
	}
	return &program.Value{X: text}
}

// prettyResults resolves $return$ of a function with several results.
func (r *resolution) prettyResults() *program.Value {
	list, _ := r.goResults()
	p := &rendition{r: r, shown: new(int)}
	p.text("{")
	p.results(list, ".", ", ")
	p.text("}")
	return p.value(r.x.At)
}

// top writes the value at l; a pointer to a struct or union is followed.
func (p *rendition) top(l *location, depth int) {
	levels := levelsOf(depth)
	if p.container(l, levels) {
		return
	}
	if l.types.Kind(l.real()) == btf.Pointer {
		to := l.types.Strip(l.types.Target(l.real()))
		if k := l.types.Kind(to); k == btf.Struct || k == btf.Union {
			if in, d := l.deref(); d == nil {
				l = in
			}
		}
	}
	p.show(l, levels)
}

// show writes the value at l with levels of structs and arrays shown by their elements.
func (p *rendition) show(l *location, levels int) {
	if p.container(l, levels) {
		return
	}
	t := l.real()
	switch l.types.Kind(t) {
	case btf.Struct, btf.Union:
		if levels == 0 {
			p.text("{...}")
			return
		}
		p.text("{")
		p.members(l, levels, "")
		p.text("}")
	case btf.Array:
		p.array(l, levels)
	case btf.Pointer:
		p.pointer(l)
	default:
		p.number(l)
	}
}

// members writes .name=value for each; those of anonymous structs and unions
// count as the outer one's.
func (p *rendition) members(l *location, levels int, before string) string {
	for _, m := range l.types.Members(l.real()) {
		if p.full {
			break
		}
		inner := *l
		inner.typ, inner.pos, inner.bits = m.Type, l.pos+m.Offset, m.Bits
		if m.Name == "" {
			if k := l.types.Kind(inner.real()); (k == btf.Struct || k == btf.Union) && levels > 0 {
				before = p.members(&inner, levels, before)
			}
			continue
		}
		inner.what += "->" + m.Name
		p.text(before + "." + m.Name + "=")
		p.show(&inner, levels-1)
		before = ", "
	}
	return before
}

func (p *rendition) array(l *location, levels int) {
	elem := l.types.Target(l.real())
	if n, ok := l.types.Integer(l.types.Strip(elem)); ok && n.Char && l.addr != nil {
		if addr, d := l.address(); d == nil {
			p.string(addr, l.user, l.types.Len(l.real()))
			return
		}
	}
	size := l.types.Size(elem)
	if levels == 0 || size == 0 {
		p.text("[...]")
		return
	}
	p.text("[")
	n := l.types.Len(l.real())
	for i := int64(0); i < n; i++ {
		if i > 0 {
			p.text(", ")
		}
		if i == maxElements || p.full {
			p.text("...")
			break
		}
		inner := *l
		inner.typ, inner.pos = elem, l.pos+i*size*8
		inner.what = fmt.Sprintf("%s[%d]", l.what, i)
		p.show(&inner, levels-1)
	}
	p.text("]")
}

func (p *rendition) pointer(l *location) {
	x, d := l.value()
	if d != nil {
		p.text("?")
		return
	}
	to := l.types.Strip(l.types.Target(l.real()))
	if n, ok := l.types.Integer(to); ok && n.Char {
		p.string(x, l.user || l.pointsToUser(), 0)
		return
	}
	p.arg("%p", x)
}

// string writes the text at addr, of at most n bytes if n is not 0. It is read by a function of
// the tapset library; its argument, the address, is a synthesized target variable.
func (p *rendition) string(addr program.Expr, user bool, n int64) {
	at := p.r.x.At
	operand := &syntax.TargetVar{At: at, Name: "string"}
	p.r.made[operand] = &program.Value{X: addr}
	call := &syntax.CallExpr{At: at, Name: "kernel_string", Args: []syntax.Expr{operand, &syntax.StringLit{At: at, Value: "?"}}}
	if user && n > 0 {
		call.Name = "user_string_n"
		call.Args = []syntax.Expr{operand, &syntax.NumberLit{At: at, Value: n}, call.Args[1]}
	} else if user {
		call.Name = "user_string"
	} else if n > 0 {
		call.Name, call.Args[1] = "kernel_string_n", &syntax.NumberLit{At: at, Value: n}
	}
	p.arg(`"%s"`, &program.ScriptExpr{X: call})
}

func (p *rendition) number(l *location) {
	x, d := l.value()
	if d != nil {
		p.text("?")
		return
	}
	if l.types.Kind(l.real()) == btf.Float {
		p.arg("%s", p.r.call("fp_to_string", p.r.double(l, x), &program.Number{At: p.r.x.At, Value: floatDigits}))
		return
	}
	if types, ok := l.types.(*dwarf.Types); ok && l.user && p.named(types, l, x) {
		return
	}
	if n, _ := l.types.Integer(l.real()); n.Signed {
		p.arg("%d", x)
	} else {
		p.arg("%u", x)
	}
}
