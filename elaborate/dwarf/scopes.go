// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// scopedLanguages are the languages whose functions may be in namespaces and types, by DW_LANG_*.
var scopedLanguages = map[uint64]bool{
	0x04: true, 0x1a: true, 0x21: true, 0x2b: true, 0x2c: true, 0x3a: true, // C++, of 11, 14, 17, 20, 23
	0x13: true, langRust: true, // D
}

// The DW_LANG_* of languages that pass arguments in ways of their own.
const (
	langGo   = 0x16
	langRust = 0x1c
)

// language is the DW_LANG_* of the unit's source, 0 if it is not known.
func (u *unit) language() uint64 {
	root, ok := u.die(u.first)
	if !ok {
		return 0
	}
	language, _ := root.number(dwarf.AttrLanguage)
	return uint64(language)
}

// scoped reports whether the unit's functions may be in namespaces and types.
func (u *unit) scoped() bool { return scopedLanguages[u.language()] }

// isScope reports whether a DIE of that kind is a scope of names.
func isScope(tag dwarf.Tag) bool {
	return tag == dwarf.TagNamespace || tag == dwarf.TagClassType || tag == dwarf.TagStructType || tag == dwarf.TagUnionType
}

// scopes are the names of the scopes around the current DIE of a scan.
type scopes struct {
	byDepth  []string          // with a :: behind each
	inner    []bool            // by depth: the scope is a namespace or a type, and not in a function
	declared map[uint32]string // by DIE of a declaration: the scope for names in a type that is defined elsewhere, or for a variable
}

// around returns the scope of names at a depth.
func (s *scopes) around(depth int) string {
	if depth < len(s.byDepth) {
		return s.byDepth[depth]
	}
	return ""
}

// within reports whether DIEs at a depth are in a namespace or a type, and not in a function.
func (s *scopes) within(depth int) bool { return depth < len(s.inner) && s.inner[depth] }

// maxScope bounds a scope's name: hostile ones have names that grow at each depth.
const maxScope = 4096

// enter records the scope of the children of d, which is at a depth.
func (s *scopes) enter(d die, depth int) {
	inner := s.around(depth)
	if isScope(d.tag) {
		name, known := d.text(dwarf.AttrName), ""
		if v, ok := d.attr(dwarf.AttrSpecification); ok && v.f == d.u.f {
			known = s.declared[uint32(v.u)]
		}
		switch {
		case known != "":
			inner = known
		case name != "":
			inner += name + "::"
		case d.tag == dwarf.TagNamespace:
			inner += "(anonymous namespace)::"
		}
		if len(inner) > maxScope {
			inner = ""
		}
		if d.flag(dwarf.AttrDeclaration) && name != "" {
			s.declare(d.off, inner)
		}
	}
	for len(s.byDepth) <= depth+1 {
		s.byDepth, s.inner = append(s.byDepth, ""), append(s.inner, false)
	}
	s.byDepth[depth+1], s.inner[depth+1] = inner, isScope(d.tag) && (depth <= 1 || s.within(depth))
}

// declare records the scope of the names in the type, or of the variable, that a DIE declares.
func (s *scopes) declare(die uint32, name string) {
	if s.declared == nil {
		s.declared = map[uint32]string{}
	}
	s.declared[die] = name
}
