// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"fmt"
	"strings"

	"gostap/elaborate/query"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// maxHoverPoints is the maximal number of a pattern's probe points that are shown.
const maxHoverPoints = 10

// hover returns the description of the name at a position; nil if there is none.
func (s *Server) hover(d *document, p Position) (*hover, error) {
	c := d.cursor(p)
	begin, end := c.word()
	name := d.text[begin:end]
	text := ""
	switch {
	case c.inPoints():
		text, begin, end = s.describePoint(c)
	case name == "" || c.inText():
	case strings.HasPrefix(name, "$"):
		for _, v := range s.targetVariables(c) {
			if v.Name == name {
				text = fenced(v.Name+": "+v.Type, "c")
			}
		}
	default:
		x, arrow := c.container(begin, s.Env)
		if !arrow {
			text = s.describeName(d, name)
		} else if x != nil {
			for _, m := range s.members(c, x) {
				if m.Name == name {
					text = fenced(m.Name+": "+m.Type, "c")
				}
			}
		}
	}
	if text == "" {
		return nil, nil
	}
	return &hover{markup{"markdown", text}, d.span(begin, end)}, nil
}

// fenced returns text as a Markdown code block.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}

// describePoint describes the probe point at the position: its documentation in the library, or its
// probe sites on this kernel.
func (s *Server) describePoint(c *cursor) (text string, begin, end int) {
	point := c.point()
	begin = c.pointBegin()
	end = begin + len(point)
	if docs := s.library().Doc(point); !strings.Contains(point, "*") && len(docs) > 0 {
		return documented(docs[0].Signature, docs[0].Text), begin, end
	}
	points, diags := syntax.ParseProbePoint(point, s.Env)
	if diags.Err() != nil {
		return "", begin, end
	}
	s.passes.Lock()
	defer s.passes.Unlock()
	listed, _ := query.List(points, s.library(), s.compile(), true)
	var lines []string
	for i, l := range listed {
		if i == maxHoverPoints {
			lines = append(lines, fmt.Sprintf("… %d more", len(listed)-i))
			break
		}
		lines = append(lines, l.Point)
		for _, v := range l.Variables {
			lines = append(lines, "    "+v.Name+": "+v.Type)
		}
	}
	if lines == nil {
		return "", begin, end
	}
	return fenced(strings.Join(lines, "\n"), ""), begin, end
}

// describeName describes a function or a global: the script's, by the last result of the passes, or the
// library's.
func (s *Server) describeName(d *document, name string) string {
	s.mu.Lock()
	checked := s.checked[d.uri]
	s.mu.Unlock()
	own := declaredAs(d, name)
	if own != 0 && checked != nil {
		if text := typesOf(checked, name); text != "" {
			return fenced(text, "stp")
		}
	}
	if own != 0 {
		return ""
	}
	if docs := s.library().Doc(name); len(docs) > 0 {
		return documented(docs[0].Signature, docs[0].Text)
	}
	return ""
}

// declaredAs is the kind of symbol that the text declares by that name, 0 if none.
func declaredAs(d *document, name string) int {
	for _, one := range symbols(d) {
		if one.Name == name && (one.Kind == symbolFunction || one.Kind == symbolVariable) {
			return one.Kind
		}
	}
	return 0
}

// typesOf is the declaration of a global or a function with all types.
func typesOf(p *program.Program, name string) string {
	for _, g := range p.Globals {
		if g.Name != name {
			continue
		}
		text := "global " + g.Name
		for i, key := range g.Keys {
			text += map[bool]string{true: "[", false: ", "}[i == 0] + fmt.Sprint(key)
		}
		if g.Keys != nil {
			text += "]"
		}
		return text + ": " + fmt.Sprint(g.Type)
	}
	for _, f := range p.Functions {
		if f.Script != name {
			continue
		}
		params := make([]string, len(f.Params))
		for i, one := range f.Params {
			params[i] = one.Name + ":" + fmt.Sprint(one.Type)
		}
		text := "function " + name
		if f.Result != program.Void {
			text += ":" + fmt.Sprint(f.Result)
		}
		return text + " (" + strings.Join(params, ", ") + ")"
	}
	return ""
}

// documented is the documentation of a function or an alias of the library, whose comments are plain
// text.
func documented(signature, text string) string {
	if text == "" {
		return fenced(signature, "stp")
	}
	return fenced(signature, "stp") + "\n" + fenced(text, "")
}
