// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// maxVariants bounds the alternatives of a std::variant that are shown.
const maxVariants = 32

// plain writes a std::array, std::optional, std::variant, std::pair, std::tuple, std::list, std::forward_list, std::deque, or what
// a std::stack, std::queue or std::priority_queue holds, as libstdc++ lays them out.
func (p *rendition) plain(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	name, _, _ := strings.Cut(types.Name(l.real()), "<")
	switch name {
	case "array":
		in, d := l.part("_M_elems")
		if d != nil || types.Kind(in.real()) != btf.Array {
			return false
		}
		p.array(in, levels)
		return true
	case "optional":
		return p.optional(l, levels)
	case "pair":
		first, d := l.part("first")
		second, also := l.part("second")
		if d != nil || also != nil {
			return false
		}
		p.parenthesized([]*location{first, second}, levels)
		return true
	case "tuple":
		list := tupleElements(l)
		if list == nil {
			return false
		}
		p.parenthesized(list, levels)
		return true
	case "variant":
		return p.variant(l, levels)
	case "list":
		return p.linked(l, levels)
	case "forward_list":
		return p.forward(l, levels)
	case "deque":
		return p.blocks(l, levels)
	case "stack", "queue", "priority_queue":
		in, d := l.part("c")
		return d == nil && p.container(in, levels)
	}
	return false
}

// parenthesized writes values of different types.
func (p *rendition) parenthesized(list []*location, levels int) {
	if levels <= 0 {
		p.text("(...)")
		return
	}
	p.text("(")
	for i, l := range list {
		if p.full {
			break
		}
		if i > 0 {
			p.text(", ")
		}
		p.show(l, levels-1)
	}
	p.text(")")
}

// optional writes the value of a std::optional, or nullopt.
func (p *rendition) optional(l *location, levels int) bool {
	engaged, d := l.number("_M_payload", "_M_engaged")
	value, also := l.part("_M_payload", "_M_payload", "_M_value")
	if d != nil || also != nil {
		return false
	}
	p.when(engaged, func(q *rendition) { q.show(value, levels) }, "nullopt")
	return true
}

// variant writes what a std::variant holds, or valueless. Its alternatives lie in a union of the first one and a union of the rest.
func (p *rendition) variant(l *location, levels int) bool {
	at, types := p.r.x.At, l.types.(*dwarf.Types)
	index, d := l.number("_M_index")
	union, also := l.part("_M_u")
	if d != nil || also != nil {
		return false
	}
	var holds []*location
	for len(types.Members(union.real())) == 2 && len(holds) < maxVariants {
		first, d := union.part("_M_first")
		value, also := union.part("_M_first", "_M_storage")
		if d != nil || also != nil {
			return false
		}
		if strings.HasPrefix(types.Name(value.real()), "__aligned_membuf<") {
			value.typ = types.TypeParam(first.real(), "_Type") // bytes for one, as it has a destructor
		}
		if union, d = union.part("_M_rest"); d != nil || value.typ == 0 {
			return false
		}
		holds = append(holds, value)
	}
	var text program.Expr = &program.Print{At: at, Format: "valueless", Sprint: true}
	for i, value := range holds {
		q := p.alternative()
		q.readable(func(q *rendition) { q.show(value, levels) })
		p.chosen(q)
		is := &program.Compare{At: at, Op: "==", X: index, Y: &program.Number{At: at, Value: int64(i)}}
		text = &program.Cond{At: at, If: is, Then: q.sprint(""), Else: text}
	}
	p.format.WriteString("%s")
	p.args = append(p.args, text)
	p.settle()
	return true
}

// tupleElements returns the elements of a std::tuple, nil if it has none or they are not known. It derives from _Tuple_impl<0, …>, which
// derives from _Tuple_impl<1, …>, and so on, and each of them from a _Head_base of its element, which has it as a member or, if the
// element is an empty class, as its base.
func tupleElements(l *location) (list []*location) {
	base := func(l *location, prefix string) *location {
		for _, m := range l.types.Members(l.real()) {
			if m.Name == "" && strings.HasPrefix(l.types.Name(l.types.Strip(m.Type)), prefix) {
				in := *l
				in.typ, in.pos = m.Type, l.pos+m.Offset
				return &in
			}
		}
		return nil
	}
	for l = base(l, "_Tuple_impl<"); l != nil; l = base(l, "_Tuple_impl<") {
		head := base(l, "_Head_base<")
		if head == nil {
			return nil
		}
		value, d := head.part("_M_head_impl")
		if d != nil {
			return nil
		}
		if value.isReference() {
			if value, d = value.deref(); d != nil {
				return nil
			}
		}
		list = append(list, value)
	}
	return list
}
