// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"net/url"
	"strings"

	"gostap/translator/syntax"
)

// definition returns the declaration of the name at a position: in the text, or in a tapset.
func (s *Server) definition(d *document, p Position) ([]Location, error) {
	c := d.cursor(p)
	begin, end := c.word()
	name := d.text[begin:end]
	list := []Location{}
	switch {
	case c.inPoints():
		return s.aliasDefinitions(d, c), nil
	case name == "" || c.inText():
		return list, nil
	}
	if _, arrow := c.container(begin, s.Env); arrow || strings.HasPrefix(name, "$") {
		return list, nil
	}
	// Inner declarations hide outer ones.
	if i, local := c.local(name); local {
		return append(list, Location{d.uri, d.span(c.words[i].Begin, c.words[i].End)}), nil
	}
	for _, one := range symbols(d) {
		if one.Name == name && one.Kind != symbolEvent && one.Kind != symbolInterface {
			list = append(list, Location{d.uri, one.SelectionRange})
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	for _, file := range s.library().Functions(name) {
		for _, decl := range file.Decls {
			if f, ok := decl.(*syntax.FunctionDecl); ok && f.Name == name {
				list = append(list, s.location(d, f.Pos())...)
			}
		}
	}
	return list, nil
}

// aliasDefinitions returns the declarations of the aliases that the probe point at the position begins
// with.
func (s *Server) aliasDefinitions(d *document, c *cursor) []Location {
	list := []Location{}
	points, _ := syntax.ParseProbePoint(c.point(), s.Env)
	for _, pt := range points {
		for _, candidate := range s.library().Candidates(pt) {
			if _, decl := candidate.Declaration(); decl != nil && len(list) < maxItems {
				list = append(list, s.location(d, decl.Pos())...)
			}
		}
	}
	for _, one := range symbols(d) {
		if one.Kind == symbolInterface && one.Name == c.point() {
			list = append(list, Location{d.uri, one.SelectionRange})
		}
	}
	return list
}

// location returns the position of a tapset's word at pos, if the tapset's file is known.
func (s *Server) location(d *document, pos syntax.Pos) []Location {
	if pos.Source == d.src {
		return nil
	}
	path, err := s.File(pos.Source)
	if err != nil {
		return nil
	}
	file := newDocument((&url.URL{Scheme: "file", Path: path}).String(), 0, string(pos.Source.Text))
	offset := file.at(pos)
	return []Location{{file.uri, file.span(offset, offset)}}
}

// local returns the first word, in the declaration around the position, that names the local variable
// or parameter.
func (c *cursor) local(name string) (first int, ok bool) {
	if c.first < 0 || c.words[c.first].Text != "probe" && c.words[c.first].Text != "function" {
		return 0, false
	}
	hidden := false // by a parameter
	if c.words[c.first].Text == "function" && c.body >= 0 {
		for _, i := range c.names(name) {
			hidden = hidden || i < c.body
		}
	}
	if !hidden && declaredAs(c.d, name) != 0 {
		return 0, false
	}
	if list := c.names(name); len(list) > 0 {
		return list[0], true
	}
	return 0, false
}

// names returns the words of the declaration around the position that name the variable.
func (c *cursor) names(name string) (list []int) {
	first := c.first + 1
	if c.words[c.first].Text == "function" {
		first++ // its own name
	} else if c.body >= 0 {
		first = c.body
	}
	for i := first; i < len(c.words) && !declares(c.words, i); i++ {
		if isVariable(c.words, i, name) {
			list = append(list, i)
		}
	}
	return list
}

// isVariable reports whether the word at i names a variable of that name, and not a function, member or
// component.
func isVariable(words []syntax.Lexeme, i int, name string) bool {
	w := words[i]
	return w.Class == syntax.Name && w.Text == name && words[i-1].Text != "->" && !calls(words, i)
}
