// SPDX-License-Identifier: GPL-2.0-or-later

// Package regex compiles POSIX extended regular expressions to tables.
//
// Parse makes a tree, program.go turns that into a program for an NFA, and dfa.go determinizes it. The
// DFA decides whether a string matches, with one table lookup for each byte. The position of a match
// and its groups are found by running the program itself, all its threads in step
// (runtime-c/core/regex.c): of all matches the leftmost, of these the longest; its groups are those of
// the path that prefers earlier alternatives and longer repetitions.
//
// Characters are bytes. In addition to POSIX there are \w \W \s \S, as in egrep; there are no
// back-references. As SystemTap reads them, a character behind a backslash is always that character,
// in brackets, too.
package regex

import (
	"fmt"
	"strings"
)

// An Error describes what is wrong with an expression, and at which byte.
type Error struct {
	Offset int
	Msg    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s, at byte %d of the regular expression", e.Msg, e.Offset+1)
}

// A node is a part of the tree.
type node interface{}

type (
	// bytes matches one byte of a set.
	bytes struct{ set set }
	// anchor is ^ or $.
	anchor struct{ end bool }
	// cat matches its parts one after the other.
	cat []node
	// alt matches one of its parts.
	alt []node
	// repeat matches x min times or more, up to max (-1: any number).
	repeat struct {
		x        node
		min, max int
	}
	// group is the n-th parenthesis.
	group struct {
		n int
		x node
	}
)

// A set is a set of bytes.
type set [4]uint64

func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *set) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s *set) addRange(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s.add(byte(c))
	}
}

func (s set) complement() set {
	for i := range s {
		s[i] = ^s[i]
	}
	return s
}

const maxRepeat = 255 // as in POSIX

type parser struct {
	text   string
	asStap bool
	at     int
	groups int
	depth  int
}

func parse(text string, asStap bool) (n node, groups int, err error) {
	p := &parser{text: text, asStap: asStap}
	defer caught(&err)
	n = p.alternatives()
	if p.at < len(text) {
		p.fail(p.at, "unmatched )")
	}
	return n, p.groups, nil
}

// caught turns an *Error that was thrown by panic into a returned error.
func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(&Error{at, fmt.Sprintf(format, args...)})
}

func (p *parser) more() bool { return p.at < len(p.text) }

func (p *parser) accept(c byte) bool {
	if p.more() && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) alternatives() node {
	if p.depth++; p.depth > 100 {
		p.fail(p.at, "parentheses nest too deep")
	}
	defer func() { p.depth-- }()
	list := alt{p.sequence()}
	for p.accept('|') {
		list = append(list, p.sequence())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func (p *parser) sequence() node {
	var list cat
	for p.more() && p.text[p.at] != '|' && (p.text[p.at] != ')' || p.depth == 1) {
		if p.text[p.at] == ')' {
			p.fail(p.at, "unmatched )")
		}
		list = append(list, p.repeated())
	}
	return list
}

func (p *parser) repeated() node {
	x := p.atom()
	for p.more() {
		start := p.at
		switch {
		case p.accept('*'):
			x = repeat{x, 0, -1}
		case p.accept('+'):
			x = repeat{x, 1, -1}
		case p.accept('?'):
			x = repeat{x, 0, 1}
		case p.text[p.at] == '{':
			p.at++
			low, high := p.bounds(start)
			x = repeat{x, low, high}
		default:
			return x
		}
	}
	return x
}

// bounds parses the numbers between { and }.
func (p *parser) bounds(start int) (low, high int) {
	low = p.number(start)
	high = low
	if p.accept(',') {
		high = -1
		if p.more() && p.text[p.at] != '}' {
			high = p.number(start)
		}
	}
	if !p.accept('}') {
		p.fail(start, "{ without its }")
	}
	if high >= 0 && high < low {
		p.fail(start, "bounds of {%d,%d} are the wrong way round", low, high)
	}
	return low, high
}

func (p *parser) number(start int) int {
	n, digits := 0, 0
	for p.more() && '0' <= p.text[p.at] && p.text[p.at] <= '9' && n <= maxRepeat {
		n = n*10 + int(p.text[p.at]-'0')
		p.at++
		digits++
	}
	if digits == 0 {
		p.fail(start, "{ without a number")
	}
	if n > maxRepeat {
		p.fail(start, "repetition of more than %d times", maxRepeat)
	}
	return n
}

func (p *parser) atom() node {
	start := p.at
	c := p.text[p.at]
	p.at++
	switch c {
	case '(':
		p.groups++
		n := p.groups
		x := p.alternatives()
		if !p.accept(')') {
			p.fail(start, "( without its )")
		}
		return group{n, x}
	case '[':
		return bytes{p.bracket(start)}
	case '.':
		var s set
		return bytes{s.complement()}
	case '^':
		return anchor{}
	case '$':
		return anchor{end: true}
	case '*', '+', '?', '{':
		p.fail(start, "%c repeats nothing", c)
	case '\\':
		return bytes{p.escape(start)}
	}
	var s set
	s.add(c)
	return bytes{s}
}

func (p *parser) escape(start int) set {
	if !p.more() {
		p.fail(start, "\\ at the end")
	}
	c := p.text[p.at]
	p.at++
	switch {
	case p.asStap:
	case c == 'w':
		return class("alnum_")
	case c == 'W':
		return class("alnum_").complement()
	case c == 's':
		return class("space")
	case c == 'S':
		return class("space").complement()
	case '1' <= c && c <= '9':
		p.fail(start, "\\%c: there are no back-references", c)
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '<', c == '>':
		p.fail(start, "unknown escape \\%c", c)
	}
	var s set
	s.add(c)
	return s
}

// class returns a POSIX character class of the C locale; the empty set if it is unknown.
func class(name string) (s set) {
	switch name {
	case "alpha":
		s.addRange('a', 'z')
		s.addRange('A', 'Z')
	case "digit":
		s.addRange('0', '9')
	case "alnum", "alnum_":
		s.addRange('a', 'z')
		s.addRange('A', 'Z')
		s.addRange('0', '9')
		if name == "alnum_" {
			s.add('_')
		}
	case "upper":
		s.addRange('A', 'Z')
	case "lower":
		s.addRange('a', 'z')
	case "space":
		s.addRange('\t', '\r')
		s.add(' ')
	case "blank":
		s.add(' ')
		s.add('\t')
	case "punct":
		s.addRange('!', '/')
		s.addRange(':', '@')
		s.addRange('[', '`')
		s.addRange('{', '~')
	case "print":
		s.addRange(' ', '~')
	case "graph":
		s.addRange('!', '~')
	case "cntrl":
		s.addRange(0, 31)
		s.add(127)
	case "xdigit":
		s.addRange('0', '9')
		s.addRange('a', 'f')
		s.addRange('A', 'F')
	}
	return s
}

// bracket parses the rest of a bracket expression, behind [. In it, \ is an ordinary byte, except as
// SystemTap reads it.
func (p *parser) bracket(start int) set {
	var s set
	negated := p.accept('^')
	for first := true; ; first = false {
		if !p.more() {
			p.fail(start, "[ without its ]")
		}
		if p.text[p.at] == ']' && !first {
			p.at++
			break
		}
		if strings.HasPrefix(p.text[p.at:], "[:") {
			s = union(s, p.class())
			continue
		}
		if p.asStap && p.at+1 < len(p.text) && p.text[p.at] == '\\' {
			p.at++
		}
		lo := p.text[p.at]
		p.at++
		if p.at+1 < len(p.text) && p.text[p.at] == '-' && p.text[p.at+1] != ']' {
			hi := p.text[p.at+1]
			if hi < lo {
				p.fail(p.at-1, "range %c-%c is the wrong way round", lo, hi)
			}
			p.at += 2
			s.addRange(lo, hi)
			continue
		}
		s.add(lo)
	}
	if negated {
		return s.complement()
	}
	return s
}

func union(a, b set) set {
	for i := range a {
		a[i] |= b[i]
	}
	return a
}

func (p *parser) class() set {
	start := p.at
	name, _, ok := strings.Cut(p.text[p.at+len("[:"):], ":]")
	if !ok {
		p.fail(start, "[: without its :]")
	}
	s := class(name)
	if s == (set{}) || name == "alnum_" {
		p.fail(start, "unknown character class [:%s:]", name)
	}
	p.at += len("[:") + len(name) + len(":]")
	return s
}
