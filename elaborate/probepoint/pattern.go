// SPDX-License-Identifier: GPL-2.0-or-later

package probepoint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"gostap/internal/glob"
	"gostap/internal/qualified"
)

// A Pattern is what .function and .statement take: NAME, NAME@FILE,
// NAME@FILE:LINES or NAME@FILE+LINES; in C++, NAME(PARAMETERS), too.
type Pattern struct {
	Name, File string  // File is "" for any
	Params     string  // (PARAMETERS) behind the name, of C++; "" for any
	Lines      []Lines // nil for none given, or for all
	All        bool    // :*
	Relative   bool    // lines count from the function's first
}

// Lines are those from Low to High.
type Lines struct{ Low, High int }

// ParsePattern reads a pattern; its errors quote the text.
func ParsePattern(text string) (p Pattern, err error) {
	name, rest, found := strings.Cut(text, "@")
	p.Name, p.Params = qualified.Cut(name)
	if name == "" {
		return p, fmt.Errorf("%q names no function: it is written NAME, NAME@FILE or NAME@FILE:LINE, and * stands for any", text)
	}
	if !found {
		return p, nil
	}
	p.File = rest
	i := strings.LastIndexAny(rest, ":+")
	if i < 0 {
		if rest == "" {
			return p, fmt.Errorf("%q names no file behind the @", text)
		}
		return p, nil
	}
	lines := rest[i+1:]
	p.File, p.Relative = rest[:i], rest[i] == '+'
	if p.File == "" {
		return p, fmt.Errorf("%q: \"@\" stands before the name of a file", text)
	}
	if p.Relative && strings.Trim(lines, "0123456789,-") != "" {
		p.File, p.Relative = rest, false // a + in a name: c++.c
		return p, nil
	}
	if lines == "*" {
		p.All = true
		return p, nil
	}
	for _, part := range strings.Split(lines, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		s := Lines{}
		var err1, err2 error
		s.Low, err1 = strconv.Atoi(low)
		s.High, err2 = strconv.Atoi(high)
		if err1 != nil || err2 != nil || s.Low < 0 || s.High < s.Low {
			return p, fmt.Errorf("%q: %q is no line, no range of lines N-M, and not *", text, part)
		}
		p.Lines = append(p.Lines, s)
	}
	return p, nil
}

// HasLines reports whether lines were given.
func (p *Pattern) HasLines() bool { return p.All || p.Lines != nil }

// Wild reports whether the pattern may stand for more than one function.
func (p *Pattern) Wild() bool { return strings.ContainsAny(p.Name, "*?[") }

// MatchesName reports whether the pattern's first part matches a function's name, with or without its namespaces and
// types.
func (p *Pattern) MatchesName(name string) bool {
	for in := true; in; name, in = qualified.Inner(name) {
		if glob.Match(p.Name, name) {
			return true
		}
	}
	return false
}

// MatchesParams reports whether the pattern's parameters match those of the function of a symbol.
func (p *Pattern) MatchesParams(symbol string) bool {
	if p.Params == "" {
		return true
	}
	_, params := qualified.Cut(qualified.Demangled(symbol))
	params = strings.ReplaceAll(params, " ", "")
	want := pointers(strings.ReplaceAll(p.Params, " ", ""))
	return glob.Match(want, params) || glob.Match(want, strings.TrimSuffix(params, "const"))
}

// pointers escapes each * behind a type's name, which is no wildcard.
func pointers(params string) string {
	var text strings.Builder
	pointed := false // what comes before is a type
	for _, r := range params {
		pointed = unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_>&", r) || r == '*' && pointed
		if r == '*' && pointed {
			text.WriteString("[*]")
		} else {
			text.WriteRune(r)
		}
	}
	return text.String()
}

// MatchesFile reports whether the pattern's file matches a path: the whole path, or the
// end of it after a /.
func (p *Pattern) MatchesFile(path string) bool {
	return p.File == "" || glob.Match(p.File, path) || glob.Match("*/"+p.File, "/"+path)
}

// Wants reports whether the pattern includes a line of a function that begins at line start.
func (p *Pattern) Wants(line, start int) bool {
	if p.All {
		return true
	}
	if p.Relative {
		line -= start
	}
	for _, s := range p.Lines {
		if line >= s.Low && line <= s.High {
			return true
		}
	}
	return false
}

// Within reports whether all functions that match inner also match outer. A * in outer
// matches any text of inner; other wildcards are not compared, and count as no match.
func Within(inner, outer string) bool {
	in, err := ParsePattern(inner)
	out, err2 := ParsePattern(outer)
	if err != nil || err2 != nil {
		return false
	}
	if in.Name == out.Name && in.File == out.File {
		return true
	}
	if strings.ContainsAny(outer, "?[") || in.File == "" && out.File != "" {
		return false
	}
	return out.MatchesName(in.Name) && out.MatchesFile(in.File)
}
