// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"strings"

	"gostap/internal/lazyregexp"
	"gostap/translator/syntax"
)

// A cursor is the tokens around a position. Requests use tokens instead of the tree, as an unfinished
// text does not parse.
type cursor struct {
	d      *document
	offset int
	words  []syntax.Lexeme // all tokens of the text, without comments
	within syntax.Lexeme   // the token or comment that contains the position or begins or ends there; none: its End is 0

	first, body int // indexes in words: the keyword of the declaration around the position, and its first brace; -1: there is none before the position
}

func (d *document) cursor(p Position) *cursor {
	c := &cursor{d: d, offset: d.offset(p), first: -1, body: -1}
	for _, l := range syntax.Lexemes(d.src) {
		if l.Begin <= c.offset && c.offset <= l.End && (c.within.End == 0 || l.Class != syntax.Punctuation) {
			c.within = l
		}
		if l.Class != syntax.Comment {
			c.words = append(c.words, l)
		}
	}
	for i, w := range c.words {
		if w.End >= c.offset {
			break
		}
		if declares(c.words, i) {
			c.first, c.body = i, -1
		}
	}
	if c.first >= 0 {
		if i := bodyOf(c.words, c.first); i < len(c.words) && c.words[i].Begin < c.offset {
			c.body = i
		}
	}
	return c
}

// declares reports whether a declaration begins with the word at i: components of probe points may be
// called function, too.
func declares(words []syntax.Lexeme, i int) bool {
	next := ""
	if i+1 < len(words) {
		next = words[i+1].Text
	}
	switch words[i].Text {
	case "probe", "global", "@define":
		return true
	case "function":
		return next != "("
	}
	return false
}

// bodyOf returns the index of the brace or %{ at which the body of the declaration at first begins;
// braces in a probe's points are preceded by a dot.
func bodyOf(words []syntax.Lexeme, first int) int {
	i := first + 1
	for ; i < len(words) && !declares(words, i); i++ {
		switch {
		case words[i].Class == syntax.Code:
			return i
		case words[i].Text == "{" && words[i-1].Text == ".":
			i = closing(words, i)
		case words[i].Text == "{":
			return i
		}
	}
	return len(words)
}

// inText reports whether the position is inside of a string, a number, a comment or C.
func (c *cursor) inText() bool {
	w := c.within
	switch w.Class {
	case syntax.Literal, syntax.Comment, syntax.Code:
		return w.Begin < c.offset && (c.offset < w.End || w.Class == syntax.Comment && !strings.HasSuffix(w.Text, "*/"))
	}
	return false
}

// inPoints reports whether the position is in a probe's points.
func (c *cursor) inPoints() bool {
	return c.first >= 0 && c.words[c.first].Text == "probe" && c.body < 0
}

// pointBegin returns the offset at which the probe point at the position begins.
func (c *cursor) pointBegin() int {
	begin := c.words[c.first].End
	for i := c.first + 1; i < len(c.words) && c.words[i].End <= c.offset; i++ {
		switch c.words[i].Text {
		case ",", "=", "+=":
			begin = c.words[i].End
		}
	}
	return begin + len(c.d.text[begin:c.offset]) - len(strings.TrimLeft(c.d.text[begin:c.offset], " \t\r\n"))
}

// point returns the whole probe point at the position.
func (c *cursor) point() string {
	end := len(c.d.text)
	for _, w := range c.words[c.first:] {
		if w.Begin >= c.offset && (w.Text == "," || w.Text == "{" || w.Text == "=" || w.Text == "+=" || w.Text == "if" || w.Text == "?" || w.Text == "!") {
			end = w.Begin
			break
		}
	}
	return strings.TrimSpace(c.d.text[c.pointBegin():end])
}

// points returns the probe points of the handler at the position; none in functions.
func (c *cursor) points(env *syntax.Env) []*syntax.ProbePoint {
	if c.first < 0 || c.body < 0 || c.words[c.first].Text != "probe" {
		return nil
	}
	begin := c.words[c.first].End
	for _, w := range c.words[c.first:c.body] {
		if w.Text == "=" || w.Text == "+=" {
			begin = w.End
		}
	}
	points, _ := syntax.ParseProbePoint(c.d.text[begin:c.words[c.body].Begin], env)
	return points
}

// word returns the beginning and the end of the name at the position, with its $ or @.
func (c *cursor) word() (begin, end int) {
	begin, end = c.offset, c.offset
	for begin > 0 && isNameByte(c.d.text[begin-1]) {
		begin--
	}
	for end < len(c.d.text) && isNameByte(c.d.text[end]) {
		end++
	}
	return begin, end
}

func isNameByte(b byte) bool {
	return b == '_' || b == '$' || b == '@' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// chain matches the expressions before -> whose type can be determined: a target variable or a cast,
// with members and indexes.
var chain = lazyregexp.MustCompile(`(?:\$\w+|@(?:cast|var)\((?:[^()]|\([^()]*\))*\))(?:->\w+|\[[^\[\]]*\])*$`)

// container returns the expression before a -> that ends before begin; arrow reports whether there is a
// ->, x is nil if the expression is not a chain.
func (c *cursor) container(begin int, env *syntax.Env) (x *syntax.TargetVar, arrow bool) {
	before, arrow := strings.CutSuffix(strings.TrimRight(c.d.text[:begin], " \t"), "->")
	if !arrow {
		return nil, false
	}
	if c.first >= 0 {
		before = before[c.words[c.first].Begin:]
	}
	text := chain().FindString(before)
	if text == "" {
		return nil, true
	}
	file, _ := syntax.Parse(&syntax.Source{Path: c.d.src.Path, Text: []byte("probe never { println(" + text + ") }")}, env)
	if file == nil {
		return nil, true
	}
	for _, d := range file.Decls {
		probe, ok := d.(*syntax.ProbeDecl)
		if !ok {
			continue
		}
		syntax.Inspect(probe.Body, func(n syntax.Node) bool {
			if v, ok := n.(*syntax.TargetVar); ok && x == nil {
				x = v
			}
			return x == nil
		})
	}
	return x, true
}
