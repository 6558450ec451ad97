// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// near returns a hint with the name in known that is most similar to name, "" if none is similar. Names
// with __ are internal to the library and not suggested.
func (c *checker) near(name string, known []string) string {
	if !strings.HasPrefix(name, "_") {
		known = slices.DeleteFunc(known, func(k string) bool { return strings.HasPrefix(k, "__") })
	}
	return suggest.Hint(name, known)
}

// maxHints is the number of diagnostics after which there are no more hints: each hint compares all
// names.
const maxHints = 50

// globalNames lists the globals visible in s.
func (s *scope) globalNames() []string {
	if len(s.c.diags) > maxHints {
		return nil
	}
	var names []string
	for _, g := range s.c.globals {
		if !g.decl.Private || file(g.decl.At) == s.file {
			names = append(names, g.decl.Name)
		}
	}
	return names
}

// functionNames lists the functions that are visible in s, and those of the library that it could use.
func (s *scope) functionNames() []string {
	if len(s.c.diags) > maxHints {
		return nil
	}
	var names []string
	for _, g := range s.c.groups {
		if f := g.variants[0]; !f.decl.Private || f.src == s.file {
			names = append(names, g.name)
		}
	}
	return append(append(names, s.c.opts.Functions...), printers...)
}

// printers are the statements that are called like functions.
var printers = []string{"print", "printf", "println", "printd", "printdln", "sprint", "sprintf", "sprintln", "sprintd", "sprintdln"}

// unassignedHint suggests a name for a local that is read and never assigned.
func (s *scope) unassignedHint(l *local) string {
	functions := s.functionNames()
	if slices.Contains(functions, l.Name) {
		return fmt.Sprintf("to call the function, write %s()", l.Name)
	}
	names := s.globalNames()
	for _, other := range s.list[:min(len(s.list), 1000)] {
		if other.set {
			names = append(names, other.Name)
		}
	}
	if s.fn != nil {
		for _, p := range s.fn.Params {
			names = append(names, p.Name)
		}
	}
	if h := s.c.near(l.Name, names); h != "" {
		return h
	}
	if len(l.Name) < 4 {
		return ""
	}
	return s.c.near(l.Name, functions)
}

// plural is n with the noun, in plural if n is not 1.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// fileWord makes an identifier of a file's name.
func fileWord(src *syntax.Source) string {
	name := src.Path[strings.LastIndexByte(src.Path, '/')+1:]
	name = strings.TrimSuffix(name, ".stp")
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return r
		}
		return '_'
	}, name)
}
