// SPDX-License-Identifier: GPL-2.0-or-later

package btf

import (
	"fmt"
	"strings"
)

// String returns id as C spells it: "struct file*", "char const*", "char[16]". Functions are
// spelled without their parameters' names.
func (s *Spec) String(id ID) string { return Spell(s, id) }

// Spell is String, for any table.
func Spell(t Table, id ID) string {
	budget := 1000
	return spell(t, id, maxDepth, &budget)
}

func spell(s Table, id ID, depth int, budget *int) string {
	if depth == 0 || *budget <= 0 {
		return "…"
	}
	*budget--
	next := func(id ID) string { return spell(s, id, depth-1, budget) }
	name := s.Name(id)
	tagged := func(word string) string {
		if name == "" {
			name = "{...}"
		}
		return word + " " + name
	}
	switch k := s.Kind(id); k {
	case Void:
		return "void"
	case Int, Typedef, Float:
		return name
	case Struct:
		return tagged("struct")
	case Union:
		return tagged("union")
	case Enum, Enum64:
		return tagged("enum")
	case Forward:
		if s.IsUnion(id) {
			return tagged("union")
		}
		return tagged("struct")
	case Pointer:
		if p, ok := s.Proto(s.Target(id)); ok {
			return next(p.Result) + " (*) (" + params(p, next) + ")"
		}
		return next(s.Target(id)) + "*"
	case Array:
		elem, sizes := id, ""
		for s.Kind(elem) == Array && *budget > 0 {
			sizes += fmt.Sprintf("[%d]", s.Len(elem))
			elem = s.Target(elem)
			*budget--
		}
		return next(elem) + sizes
	case Const, Volatile, Restrict:
		word := map[Kind]string{Const: "const", Volatile: "volatile", Restrict: "restrict"}[k]
		return next(s.Target(id)) + " " + word
	case TypeTag:
		return next(s.Target(id)) + " __" + name
	case Function, Prototype:
		if p, ok := s.Proto(id); ok {
			return next(p.Result) + " (" + params(p, next) + ")"
		}
	}
	return "?"
}

func params(p *Proto, next func(ID) string) string {
	var list []string
	for _, param := range p.Params {
		list = append(list, next(param.Type))
	}
	if p.Variadic {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

// Signature returns a function as its declaration reads.
func Signature(s Table, name string, p *Proto) string {
	var list []string
	for _, param := range p.Params {
		list = append(list, s.String(param.Type)+" "+param.Name)
	}
	if p.Variadic {
		list = append(list, "...")
	}
	return s.String(p.Result) + " " + name + "(" + strings.Join(list, ", ") + ")"
}
