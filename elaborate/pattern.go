// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"strconv"
	"strings"

	"gostap/elaborate/symbols"
)

// A pattern is what .function and .statement take: NAME, NAME@FILE,
// NAME@FILE:LINES or NAME@FILE+LINES.
type pattern struct {
	name, file string // file is "" for any
	lines      []span // nil for none given, or for all
	all        bool   // :*
	relative   bool   // lines count from the function's first
}

// A span is lines from low to high.
type span struct{ low, high int }

func parsePattern(text string) (p pattern, err error) {
	name, rest, found := strings.Cut(text, "@")
	p.name = name
	if name == "" {
		return p, fmt.Errorf("%q names no function: it is written NAME, NAME@FILE or NAME@FILE:LINE, and * stands for any", text)
	}
	if !found {
		return p, nil
	}
	p.file = rest
	i := strings.LastIndexAny(rest, ":+")
	if i < 0 {
		if rest == "" {
			return p, fmt.Errorf("%q names no file behind the @", text)
		}
		return p, nil
	}
	lines := rest[i+1:]
	p.file, p.relative = rest[:i], rest[i] == '+'
	if p.file == "" {
		return p, fmt.Errorf("%q: \"@\" stands before the name of a file", text)
	}
	if p.relative && strings.Trim(lines, "0123456789,-") != "" {
		p.file, p.relative = rest, false // a + in a name: c++.c
		return p, nil
	}
	if lines == "*" {
		p.all = true
		return p, nil
	}
	for _, part := range strings.Split(lines, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		s := span{}
		var err1, err2 error
		s.low, err1 = strconv.Atoi(low)
		s.high, err2 = strconv.Atoi(high)
		if err1 != nil || err2 != nil || s.low < 0 || s.high < s.low {
			return p, fmt.Errorf("%q: %q is no line, no range of lines N-M, and not *", text, part)
		}
		p.lines = append(p.lines, s)
	}
	return p, nil
}

// hasLines reports whether lines were given.
func (p *pattern) hasLines() bool { return p.all || p.lines != nil }

// wild reports whether more than one function is asked for.
func (p *pattern) wild() bool { return strings.ContainsAny(p.name, "*?[") }

// matchesName reports whether the pattern's first part fits.
func (p *pattern) matchesName(name string) bool { return symbols.Match(p.name, name) }

// matchesFile reports whether the pattern's file fits: the whole path, or the
// end of it from a / on.
func (p *pattern) matchesFile(path string) bool {
	return p.file == "" || symbols.Match(p.file, path) || symbols.Match("*/"+p.file, "/"+path)
}

// wants reports whether a line of a function that begins at start is asked for.
func (p *pattern) wants(line, start int) bool {
	if p.all {
		return true
	}
	if p.relative {
		line -= start
	}
	for _, s := range p.lines {
		if line >= s.low && line <= s.high {
			return true
		}
	}
	return false
}
