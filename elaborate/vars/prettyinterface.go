// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/translator/program"
)

// Offsets in a type's run-time description (abi.Type in internal/abi, the same since Go 1.7).
const (
	goTypeFlags = 20 // flag 2: the name begins with a * that does not belong to it
	goTypeKind  = 23 // its lower 5 bits
	goTypeName  = 40 // an offset, 4 bytes: of a byte of flags, the length, the name
	goItabType  = 8  // in an itab: the type
)

// maxDynamic bounds the types that an interface's value is compared with.
const maxDynamic = 8

// goInterface writes an interface's value, as TYPE(VALUE) or nil.
func (p *rendition) goInterface(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	name := "tab"
	_, methods := types.Member(l.real(), name)
	if !methods {
		name = "_type"
	}
	first, d := l.number(name)
	data, also := l.number("data")
	if d != nil || also != nil {
		return false
	}
	tables, src := p.r.goTables(types)
	p.when(first, func(q *rendition) {
		typ := first
		if methods {
			typ = &program.Deref{At: l.at, Addr: program.Plus(l.at, first, goItabType), Size: 8, User: true}
		}
		if tables == nil || tables.Types == 0 {
			q.arg("%p", data)
			return
		}
		start, err := src.Variable(p.r.x.At, tables.Types, p.r.probedAddr())
		if err != nil {
			q.arg("%p", data)
			return
		}
		q.arg("%s", p.r.goTypeName(typ, start))
		q.text("(")
		var known []dynamic
		if methods && !p.dynamically {
			known = p.r.dynamics(types, tables.Itabs[types.Name(l.typ)], src)
		}
		q.readable(func(q *rendition) { q.dynamic(first, typ, data, known, levels) })
		q.text(")")
	}, "nil")
	return true
}

// goTables returns the tables of the probed program if it has the types; else nil.
func (r *resolution) goTables(types *dwarf.Types) (*executable.GoTables, *image.Source) {
	src := r.Source()
	if src == nil || src.Info.Types() != types {
		return nil, nil
	}
	program, ok := src.Image.(*image.Program)
	if !ok {
		return nil, nil
	}
	return program.GoTables(), src
}

// goTypeName returns the name of a run-time type; offsets of names are relative to start.
func (r *resolution) goTypeName(typ, start program.Expr) program.Expr {
	at := r.x.At
	binary := func(op string, x, y program.Expr) program.Expr {
		return &program.Binary{At: at, Op: op, X: x, Y: y}
	}
	number := func(n int64) program.Expr { return &program.Number{At: at, Value: n} }
	load := func(from program.Expr, offset int64, size int) program.Expr {
		return &program.Deref{At: at, Addr: program.Plus(at, from, offset), Size: size, User: true}
	}
	text := binary("+", start, load(typ, goTypeName, 4))
	star := binary("&", binary(">>>", load(typ, goTypeFlags, 1), number(1)), number(1))
	// The length takes seven bits of each byte: one byte, or two.
	length := load(text, 1, 1)
	two := binary(">>>", length, number(7))
	n := binary("+", binary("&", length, number(127)), binary("*", two, binary("<<", load(text, 2, 1), number(7))))
	addr := binary("+", binary("+", text, number(2)), binary("+", star, two))
	return r.textOf(addr, binary("-", n, star))
}

// A dynamic is a type that an interface's value may have.
type dynamic struct {
	itab program.Expr
	typ  btf.ID // what the interface's pointer points to
}

// dynamics returns the types of structs among those that are converted to an interface.
func (r *resolution) dynamics(types *dwarf.Types, list []executable.GoItab, src *image.Source) (known []dynamic) {
	for _, itab := range list {
		if len(known) == maxDynamic {
			break
		}
		name, pointer := strings.CutPrefix(itab.Type, "*")
		ids := types.Find(name, btf.Struct)
		if len(ids) != 1 || !pointer && types.Size(ids[0]) == machine.WordSize {
			continue // a value as large as a pointer may be in the interface itself
		}
		addr, err := src.Variable(r.x.At, itab.Addr, r.probedAddr())
		if err != nil {
			continue
		}
		known = append(known, dynamic{addr, ids[0]})
	}
	return known
}

// Kinds of package reflect.
const (
	goBool    = 1
	goUintptr = 12
	goFloat64 = 14
)

// dynamic writes an interface's value: of a known type, of a basic type, or else its address.
func (p *rendition) dynamic(itab, typ, data program.Expr, known []dynamic, levels int) {
	at := p.r.x.At
	number := func(n int64) program.Expr { return &program.Number{At: at, Value: n} }
	load := func(offset int64) program.Expr {
		return &program.Deref{At: at, Addr: program.Plus(at, data, offset), Size: 8, User: true}
	}
	kind := &program.Binary{At: at, Op: "&", X: &program.Deref{At: at, Addr: program.Plus(at, typ, goTypeKind), Size: 1, User: true}, Y: number(31)}
	sprint := func(format string, args ...program.Expr) program.Expr {
		return &program.Print{At: at, Format: format, Args: args, Sprint: true}
	}
	compare := func(op string, x, y program.Expr) program.Expr {
		return &program.Compare{At: at, Op: op, X: x, Y: y}
	}
	value := sprint("%p", data)
	value = &program.Cond{At: at, If: &program.Logical{At: at, Op: "&&", X: compare(">=", kind, number(goBool)), Y: compare("<=", kind, number(goFloat64))},
		Then: sprint("%s", p.r.call("__go_number", kind, load(0))), Else: value}
	value = &program.Cond{At: at, If: compare("==", kind, number(int64(dwarf.GoString))), Then: sprint(`"%s"`, p.r.textOf(load(0), load(8))), Else: value}
	types := p.r.Source().Info.Types()
	for i := len(known) - 1; i >= 0; i-- {
		k := known[i]
		q := p.alternative()
		q.dynamically = true
		in := &location{types: types, at: at, what: p.r.x.Name, typ: k.typ, addr: data, user: true}
		q.show(in, max(levels, 1))
		p.chosen(q)
		value = &program.Cond{At: at, If: compare("==", itab, k.itab), Then: sprint(q.format.String(), q.args...), Else: value}
	}
	p.format.WriteString("%s")
	p.args = append(p.args, value)
	p.settle()
}
