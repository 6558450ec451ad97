// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// rust writes a Rust value: a str or String, a slice or Vec, an enum with data, a tuple, the value that a Box, Rc or Arc owns.
func (p *rendition) rust(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	if types.Kind(l.real()) == btf.Pointer {
		return p.rustBox(l, levels)
	}
	if types.Kind(l.real()) != btf.Struct {
		return false
	}
	switch name := types.Name(l.real()); {
	case strings.HasPrefix(name, "Rc<"), strings.HasPrefix(name, "Arc<"):
		in := rustShared(l)
		return in != nil && p.owned(in, levels)
	case name == "&str", name == "&mut str":
		return p.rustText(l, "data_ptr", "length")
	case name == "String":
		if in, d := l.part("vec"); d == nil {
			if v := rustVector(types, in); v != nil {
				addr, d := v.first.value()
				if d == nil {
					p.textOf(addr, v.n)
					return true
				}
			}
		}
		return false
	}
	if v := rustVector(types, l); v != nil {
		return p.sequence(v, levels, types.Name(types.Strip(v.elem)) == "u8")
	}
	if discriminant, variants := types.Variants(l.real()); len(variants) > 0 {
		return p.rustEnum(l, discriminant, variants, levels)
	}
	if members := types.Members(l.real()); len(members) > 0 && members[0].Name == "__0" {
		p.rustTuple(l, levels)
		return true
	}
	return false
}

// rustBox writes the value that a Box owns, which is a pointer of that name in debuginfo, or that of a Box that a reference is to.
func (p *rendition) rustBox(l *location, levels int) bool {
	const name = "alloc::boxed::Box<"
	is := l.types.Name(l.real())
	if strings.HasPrefix(is, "&"+name) || strings.HasPrefix(is, "&mut "+name) {
		in, d := l.deref()
		if d != nil {
			return false
		}
		in.user = true
		l = in
	} else if !strings.HasPrefix(is, name) {
		return false
	}
	return l.types.Kind(l.real()) == btf.Pointer && p.owned(l, levels)
}

// rustShared returns the location of the pointer in an Rc or Arc, which is to the reference counts with the value behind them; nil if
// it is not known, or no pointer to a struct.
func rustShared(l *location) *location {
	pointer, d := l.part("ptr", "pointer")
	if d != nil || l.types.Kind(pointer.real()) != btf.Pointer {
		return nil
	}
	return pointer
}

func (p *rendition) rustText(l *location, at, length string) bool {
	addr, d := l.number(at)
	n, also := l.number(length)
	if d != nil || also != nil {
		return false
	}
	p.textOf(addr, n)
	return true
}

// rustVector returns the elements of a slice or a Vec; nil if l is none. Vec's pointer lies
// in structs that differ by the version of the library.
func rustVector(types *dwarf.Types, l *location) *sequence {
	name := types.Name(l.real())
	if strings.HasPrefix(name, "&[") || strings.HasPrefix(name, "&mut [") {
		first, d := l.part("data_ptr")
		n, also := l.number("length")
		if d != nil || also != nil {
			return nil
		}
		return &sequence{first, n, types.Target(first.real())}
	}
	elem := types.TypeParam(l.real(), "T")
	if !strings.HasPrefix(name, "Vec<") || elem == 0 {
		return nil
	}
	n, d := l.number("len")
	if d != nil {
		return nil
	}
	first, d := l.part("buf", "inner", "ptr", "pointer")
	if d != nil {
		if first, d = l.part("buf", "ptr", "pointer"); d != nil {
			return nil
		}
	}
	if types.Kind(first.real()) == btf.Struct { // NonNull
		if first, d = first.part("pointer"); d != nil {
			return nil
		}
	}
	if types.Kind(first.real()) != btf.Pointer {
		return nil
	}
	return &sequence{first, n, elem}
}

// maxRustVariants bounds the variants of an enum.
const maxRustVariants = 32

// rustEnum writes the variant of the discriminant, and its data.
func (p *rendition) rustEnum(l *location, discriminant btf.Member, variants []dwarf.Variant, levels int) bool {
	at := p.r.x.At
	var which program.Expr
	mask := ^uint64(0)
	if discriminant.Type != 0 {
		in := *l
		in.typ, in.pos = discriminant.Type, l.pos+discriminant.Offset
		x, d := in.value()
		if d != nil {
			return false
		}
		if size := l.types.Size(discriminant.Type); size < 8 {
			mask = 1<<(8*size) - 1
		}
		which = &program.Binary{At: at, Op: "&", X: x, Y: &program.Number{At: at, Value: int64(mask)}}
	} else if len(variants) > 1 {
		return false
	}
	var value program.Expr = &program.Print{At: at, Format: "?", Sprint: true}
	write := func(v *dwarf.Variant) program.Expr {
		q := p.alternative()
		q.text(v.Name)
		in := *l
		in.typ, in.pos, in.what = v.Type, l.pos+v.Offset, l.what+"->"+v.Name
		members := l.types.Members(in.real())
		switch {
		case len(members) == 0:
		case members[0].Name == "__0":
			q.rustTuple(&in, max(levels, 1))
		default:
			q.show(&in, levels)
		}
		p.chosen(q)
		return q.sprint("")
	}
	for i := range variants {
		if v := &variants[i]; v.Default || which == nil {
			value = write(v)
		}
	}
	for i := min(len(variants), maxRustVariants) - 1; i >= 0 && which != nil; i-- {
		if v := &variants[i]; !v.Default {
			value = &program.Cond{At: at, Then: write(v), Else: value,
				If: &program.Compare{At: at, Op: "==", X: which, Y: &program.Number{At: at, Value: int64(v.Value & mask)}}}
		}
	}
	p.format.WriteString("%s")
	p.args = append(p.args, value)
	p.settle()
	return true
}

// rustTuple writes the members of a tuple, or of a struct whose members have no names.
func (p *rendition) rustTuple(l *location, levels int) {
	if levels <= 0 {
		p.text("(...)")
		return
	}
	p.text("(")
	for i, m := range l.types.Members(l.real()) {
		if p.full {
			break
		}
		if i > 0 {
			p.text(", ")
		}
		in := *l
		in.typ, in.pos, in.what = m.Type, l.pos+m.Offset, l.what+"->"+m.Name
		p.show(&in, levels-1)
	}
	p.text(")")
}
