// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"slices"
	"strings"

	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

// maxItems bounds the number of completions; an editor requests them again after more has been typed.
const maxItems = 1000

// Words of the language.
var (
	declarations = []string{"probe", "function", "global", "private"}
	statements   = []string{"break", "continue", "delete", "else", "for", "foreach", "if", "next", "return", "try", "catch", "while", "in", "limit"}
	printers     = []string{"print", "printd", "printdln", "printf", "println", "sprint", "sprintd", "sprintdln", "sprintf", "sprintln"}
	atOperators  = []string{"@cast", "@const", "@count", "@sum", "@min", "@max", "@avg", "@variance", "@hist_log", "@hist_linear", "@defined", "@entry", "@perf", "@probewrite", "@var", "@enum"}
)

// complete returns the completions at a position.
func (s *Server) complete(d *document, p Position) (completionList, error) {
	c := d.cursor(p)
	list := completionList{Items: []CompletionItem{}}
	begin, _ := c.word()
	prefix := d.text[begin:c.offset]
	add := func(kind int, names ...string) {
		for _, name := range names {
			list.add(d, begin, c.offset, prefix, CompletionItem{Label: name, Kind: kind})
		}
	}
	switch {
	case c.inPoints():
		s.completePoint(&list, c)
	case c.inText():
	case c.body < 0:
		add(completesKeyword, declarations...)
	case strings.HasPrefix(prefix, "@"):
		add(completesFunction, atOperators...)
		for _, one := range symbols(d) {
			if one.Kind == symbolConstant {
				add(completesFunction, one.Name)
			}
		}
		if s.Env.Macros != nil {
			for _, name := range s.Env.Macros.Names() {
				add(completesFunction, "@"+strings.TrimPrefix(name, "@"))
			}
		}
	default:
		if x, arrow := c.container(begin, s.Env); arrow {
			s.completeMember(&list, c, x, begin)
			break
		}
		if strings.HasPrefix(prefix, "$") {
			s.completeTarget(&list, c, begin)
			break
		}
		s.completeName(c, add)
	}
	return list, nil
}

// add adds a completion of prefix, unless it is there already.
func (l *completionList) add(d *document, begin, end int, prefix string, item CompletionItem) {
	if !strings.HasPrefix(item.Label, prefix) || item.Label == prefix {
		return
	}
	if len(l.Items) == maxItems {
		l.IsIncomplete = true
		return
	}
	if slices.ContainsFunc(l.Items, func(one CompletionItem) bool { return one.Label == item.Label }) {
		return
	}
	item.TextEdit = &TextEdit{d.span(begin, end), item.Label}
	l.Items = append(l.Items, item)
}

// completePoint completes the probe point. Closing brackets that an editor has inserted are replaced.
func (s *Server) completePoint(list *completionList, c *cursor) {
	begin := c.pointBegin()
	text := c.d.text[begin:c.offset]
	s.passes.Lock()
	defer s.passes.Unlock()
	for _, point := range query.Complete(text, s.library(), s.compile()) {
		end := c.offset
		if closed := point[len(strings.TrimRight(point, `")`)):]; strings.HasPrefix(c.d.text[end:], closed) {
			end += len(closed)
		}
		list.add(c.d, begin, end, text, CompletionItem{Label: point, Kind: completesEvent})
	}
}

// completeMember completes a member behind ->.
func (s *Server) completeMember(list *completionList, c *cursor, x *syntax.TargetVar, begin int) {
	if x == nil {
		return
	}
	for _, m := range s.members(c, x) {
		list.add(c.d, begin, c.offset, c.d.text[begin:c.offset], CompletionItem{Label: m.Name, Kind: completesField, Detail: m.Type})
	}
}

// members returns the completions of x->… at a position.
func (s *Server) members(c *cursor, x *syntax.TargetVar) []query.Variable {
	s.passes.Lock()
	defer s.passes.Unlock()
	return query.Members(c.points(s.Env), x, s.library(), s.compile())
}

// completeTarget completes a target variable.
func (s *Server) completeTarget(list *completionList, c *cursor, begin int) {
	variables := s.targetVariables(c)
	for _, name := range []string{"$$vars", "$$parms", "$$locals", "$$return", "$$name"} {
		variables = append(variables, query.Variable{Name: name, Type: "string"})
	}
	for _, v := range variables {
		list.add(c.d, begin, c.offset, c.d.text[begin:c.offset], CompletionItem{Label: v.Name, Kind: completesVariable, Detail: v.Type})
	}
}

// targetVariables returns those of the handler at the position.
func (s *Server) targetVariables(c *cursor) (list []query.Variable) {
	points := c.points(s.Env)
	s.passes.Lock()
	defer s.passes.Unlock()
	listed, _ := query.List(points, s.library(), s.compile(), true)
	for _, l := range listed {
		list = append(list, l.Variables...)
	}
	return list
}

// completeName completes a keyword, a function or a variable of the script or of the library.
func (s *Server) completeName(c *cursor, add func(kind int, names ...string)) {
	for i := c.first; i < len(c.words) && (i == c.first || !declares(c.words, i)); i++ {
		if w := c.words[i]; w.Class == syntax.Name && i > c.first+1 && (c.offset < w.Begin || w.End < c.offset) && c.words[i-1].Text != "->" && !calls(c.words, i) {
			add(completesVariable, w.Text)
		}
	}
	for _, one := range symbols(c.d) {
		switch one.Kind {
		case symbolVariable:
			add(completesVariable, one.Name)
		case symbolFunction:
			add(completesFunction, one.Name)
		}
	}
	add(completesVariable, query.AliasVariables(c.points(s.Env), s.library())...)
	add(completesKeyword, statements...)
	add(completesFunction, printers...)
	for _, name := range s.library().FunctionNames() {
		if !strings.HasPrefix(name, "_") {
			add(completesFunction, name)
		}
	}
}

// calls reports whether the word at i is a function's name.
func calls(words []syntax.Lexeme, i int) bool { return i+1 < len(words) && words[i+1].Text == "(" }
