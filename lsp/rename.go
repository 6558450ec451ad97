// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"gostap/internal/lazyregexp"
	"gostap/translator/syntax"
)

var validName = lazyregexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// rename returns the edits that rename the function, the global or the local variable at a position.
func (s *Server) rename(d *document, p Position, to string) (*workspaceEdit, error) {
	c := d.cursor(p)
	begin, end := c.word()
	name := d.text[begin:end]
	switch {
	case !validName().MatchString(to) || slices.Contains(statements, to) || slices.Contains(declarations, to):
		return nil, invalid("%q is no name", to)
	case c.inText() || !validName().MatchString(name):
		return nil, refused("nothing stands here that has a name")
	}
	if _, arrow := c.container(begin, s.Env); arrow {
		return nil, refused("%s is the kernel's or the program's own name", name)
	}
	kind := declaredAs(d, name)
	_, local := c.local(name)
	if c.inPoints() || !local && kind == 0 {
		return nil, refused("%s is not declared in this script", name)
	}
	if declaredAs(d, to) != 0 || local && len(c.names(to)) > 0 {
		return nil, refused("there is a %s already", to)
	}
	var words []int
	switch {
	case local:
		words = c.names(name)
	case kind == symbolFunction:
		words = c.functionNames(name)
	default:
		if words = c.globalNames(name); c.used(to) {
			return nil, refused("there is a variable %s already", to)
		}
	}
	edits := []TextEdit{}
	for _, i := range words {
		edits = append(edits, TextEdit{d.span(c.words[i].Begin, c.words[i].End), to})
	}
	return &workspaceEdit{map[string][]TextEdit{d.uri: edits}}, nil
}

// refused is the error of a valid request that can't be fulfilled.
func refused(text string, args ...any) error {
	err := invalid(text, args...).(*jsonrpc2.Error)
	err.Code = requestFailed
	return err
}

// functionNames returns the words that declare or call a function.
func (c *cursor) functionNames(name string) (list []int) {
	for i, w := range c.words {
		if w.Class != syntax.Name || w.Text != name || i == 0 {
			continue
		}
		if c.words[i-1].Text == "function" || calls(c.words, i) && c.words[i-1].Text != "." && c.words[i-1].Text != "->" {
			list = append(list, i)
		}
	}
	return list
}

// globalNames returns the words that refer to a global: not those in functions with a parameter of that
// name.
func (c *cursor) globalNames(name string) (list []int) {
	for i := 0; i < len(c.words); i++ {
		if !declares(c.words, i) {
			continue
		}
		body := bodyOf(c.words, i)
		end, hidden := i+1, false
		var here []int
		for ; end < len(c.words) && !declares(c.words, end); end++ {
			if c.words[i].Text == "probe" && end < body && c.words[end-1].Text == "." || !isVariable(c.words, end, name) {
				continue
			}
			hidden = hidden || c.words[i].Text == "function" && end < body && end > i+1
			here = append(here, end)
		}
		if !hidden {
			list = append(list, here...)
		}
		i = end - 1
	}
	return list
}

// used reports whether a variable of that name occurs in the text.
func (c *cursor) used(name string) bool {
	for i := 1; i < len(c.words); i++ {
		if isVariable(c.words, i, name) {
			return true
		}
	}
	return false
}
