// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// cplusplus writes a std::string, std::string_view, std::vector, another container or a smart pointer, as libstdc++ lays them
// out since its new ABI (GCC 5).
func (p *rendition) cplusplus(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	l = l.complete()
	if types.Kind(l.real()) != btf.Struct {
		return false
	}
	if text, n := cplusplusText(types, l); text != nil {
		addr, d := text.value()
		if d != nil {
			return false
		}
		p.textOf(addr, n)
		return true
	}
	if v := cplusplusVector(types, l); v != nil {
		return p.sequence(v, levels, false)
	}
	return p.owner(l, levels) || p.hashed(l, levels) || p.tree(l, levels) || p.entry(l, levels) || p.plain(l, levels)
}

// cplusplusText returns where the pointer to the text of a std::string or std::string_view is, and its length; nil if l is none.
func cplusplusText(types *dwarf.Types, l *location) (text *location, length program.Expr) {
	var d, also *syntax.Diagnostic
	switch name := types.Name(l.real()); {
	case strings.HasPrefix(name, "basic_string<char"):
		text, d = l.part("_M_dataplus", "_M_p")
		length, also = l.number("_M_string_length")
	case strings.HasPrefix(name, "basic_string_view<char"):
		text, d = l.part("_M_str")
		length, also = l.number("_M_len")
	}
	if d != nil || also != nil {
		return nil, nil
	}
	return text, length
}

// cplusplusVector returns the elements of a std::vector; nil if l is none.
func cplusplusVector(types *dwarf.Types, l *location) *sequence {
	if !strings.HasPrefix(types.Name(l.real()), "vector<") {
		return nil
	}
	first, d := l.part("_M_impl", "_M_start")
	if d != nil || types.Kind(first.real()) != btf.Pointer {
		return nil // bits
	}
	elem := types.Target(first.real())
	size := types.Size(elem)
	start, d := first.value()
	end, also := l.number("_M_impl", "_M_finish")
	if size == 0 || d != nil || also != nil {
		return nil
	}
	bytes := &program.Binary{At: l.at, Op: "-", X: end, Y: start}
	return &sequence{first, &program.Binary{At: l.at, Op: "/", X: bytes, Y: &program.Number{At: l.at, Value: size}}, elem}
}
