// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"slices"
)

// A macro is a definition by @define.
type macro struct {
	name    string
	pos     Pos // of its name
	hasArgs bool
	params  []string
	body    []token
}

// A MacroSet holds the macros of a library.
type MacroSet struct {
	byName map[string]*macro
}

// NewMacros returns an empty set.
func NewMacros() *MacroSet { return &MacroSet{byName: map[string]*macro{}} }

// Load adds the macros that a library file (.stpm) defines. In addition to definitions the file may
// only contain conditionals. Load must not be called while the set is in use.
//
// \tenv.Macros = syntax.NewMacros()
// \tfor _, src := range library {
// \t\tdiags = append(diags, env.Macros.Load(src, env)...)
// \t}
func (m *MacroSet) Load(src *Source, env *Env) Diagnostics {
	var diags Diagnostics
	pp := newPreprocessor(src, env, &diags)
	for {
		t := pp.next()
		if t.kind == tEOF {
			break
		}
		switch {
		case t.kind != tBad:
			diags.Errorf(t.pos, "expected '@define' in a macro library, found %s", &t)
		case t.text != "":
			diags.Errorf(t.pos, "%s", t.text)
		}
		break
	}
	for name, def := range pp.local {
		if old := m.byName[name]; old != nil && old.pos.Source != src {
			d := diags.Errorf(def.pos, "the macro '@%s' is defined twice", name)
			d.Hint = fmt.Sprintf("first defined at %s", old.pos)
			continue
		}
		m.byName[name] = def
	}
	diags.Sort()
	return diags
}

// Names returns the names of the macros, in no order.
func (m *MacroSet) Names() []string {
	if m == nil {
		return nil
	}
	names := make([]string, 0, len(m.byName))
	for name := range m.byName {
		names = append(names, name)
	}
	return names
}

func (m *MacroSet) lookup(name string) *macro {
	if m == nil {
		return nil
	}
	return m.byName[name]
}

// An expansion is one invocation of a macro: the scope in which the names of its parameters stand for
// its arguments.
type expansion struct {
	macro  *macro
	args   [][]token
	outer  *expansion // the expansion in which the invocation was written
	depth  int
	source *Source // of the macro's text, with Expansion set
}

const (
	maxMacroDepth  = 200
	maxMacroTokens = 1 << 20 // bound on the tokens of all expansions of a file
)

// define reads a definition, behind @define.
func (pp *preprocessor) define() {
	name := pp.raw()
	if name.kind != tIdent {
		pp.errorf(name.pos, "expected a name after '@define', found %s", &name)
		pp.skipDefinition(name)
		return
	}
	m := &macro{name: name.text, pos: name.pos}
	t := pp.raw()
	if t.kind == tLParen {
		m.hasArgs = true
		var ok bool
		if t, ok = pp.params(m); !ok {
			pp.skipDefinition(t)
			return
		}
	}
	if t.kind != tCondOpen {
		d := pp.errorf(t.pos, "expected '%%(' before the body of the macro '@%s', found %s", m.name, &t)
		if !m.hasArgs {
			d.InStap("expected '%%(' or '('")
		}
		pp.skipDefinition(t)
		return
	}
	depth := 0
	body := pp.body[:0]
	for {
		b := pp.raw()
		switch b.kind {
		case tEOF:
			pp.errorf(t.pos, "the body of the macro '@%s' has no closing '%%)'", m.name)
			return
		case tCondOpen:
			depth++
		case tCondClose:
			if depth--; depth < 0 {
				m.body, pp.body = slices.Clone(body), body
				pp.register(m)
				return
			}
		case tAt:
			if b.text == "define" {
				pp.errorf(b.pos, "'@define' stands in the body of the macro '@%s'", m.name)
			}
		}
		body = append(body, b)
	}
}

// skipDefinition skips the rest of a definition with an error at t: its body, or the rest of the line.
func (pp *preprocessor) skipDefinition(t token) {
	for t.kind != tCondOpen {
		if t.kind == tEOF || t.newline {
			pp.pushBack(t)
			return
		}
		t = pp.raw()
	}
	pp.skipBranch(t, false)
}

// params reads a macro's parameters and returns the token behind the parenthesis; after an error, the
// token that is wrong.
func (pp *preprocessor) params(m *macro) (next token, ok bool) {
	for {
		t := pp.raw()
		if t.kind != tIdent {
			pp.errorf(t.pos, "expected a parameter's name, found %s", &t)
			return t, false
		}
		for _, p := range m.params {
			if p == t.text {
				pp.errorf(t.pos, "the macro '@%s' has two parameters named '%s'", m.name, p)
			}
		}
		m.params = append(m.params, t.text)
		t = pp.raw()
		if t.kind == tRParen {
			return pp.raw(), true
		}
		if t.kind != tComma {
			pp.errorf(t.pos, "expected ',' or ')' after the parameter '%s', found %s", m.params[len(m.params)-1], &t)
			return t, false
		}
	}
}

func (pp *preprocessor) register(m *macro) {
	if old := pp.local[m.name]; old != nil {
		d := pp.errorf(m.pos, "the macro '@%s' is defined twice", m.name).InStap("attempt to redefine macro '@%s' in the same file", m.name)
		d.Hint = fmt.Sprintf("first defined at %s", old.pos)
		return
	}
	if isAtWord(m.name) { // only the first use of each name, so there are few of these
		pp.diags.Warnf(m.pos, "the macro '@%s' hides the operator of that name", m.name).InStap("macro redefines built-in operator '@%s'", m.name)
	}
	if pp.local == nil {
		pp.local = map[string]*macro{}
	}
	pp.local[m.name] = m
}

// The result of the expansion of a word that may be a macro's name.
type expandResult uint8

const (
	noMacro  expandResult = iota
	expanded              // the replacement is next on the stream
	failed                // an error was reported
)

// expand replaces the word at by the text of the macro or parameter of that name.
func (pp *preprocessor) expand(at token) expandResult {
	f := &pp.frames[len(pp.frames)-1]
	if x := f.scope; x != nil {
		for i, p := range x.macro.params {
			if p == at.text {
				pp.push(frame{toks: x.args[i], scope: x.outer})
				return expanded
			}
		}
	}
	m := pp.local[at.text]
	if m == nil {
		m = pp.env.Macros.lookup(at.text)
	}
	if m == nil {
		return noMacro
	}
	x := &expansion{macro: m, outer: f.scope}
	for o := x.outer; o != nil; o = o.outer {
		if o.macro == m {
			pp.errorf(at.pos, "the macro '@%s' invokes itself", m.name)
			return failed
		}
	}
	if x.outer != nil {
		if x.depth = x.outer.depth + 1; x.depth > maxMacroDepth {
			pp.errorf(at.pos, "macros are nested more than %d deep", maxMacroDepth)
			return failed
		}
	}
	if m.hasArgs && !pp.arguments(x, at) {
		return failed
	}
	src := *m.pos.Source
	src.Expansion = at.pos
	x.source = &src
	pp.push(frame{toks: m.body, scope: x, body: true})
	return expanded
}

// arguments reads an invocation's arguments. Commas inside of brackets do not separate them.
func (pp *preprocessor) arguments(x *expansion, at token) bool {
	m := x.macro
	t := pp.raw()
	if t.kind != tLParen {
		pp.errorf(t.pos, "expected '(' after the macro '@%s', which takes %s, found %s", m.name, plural(len(m.params), "argument"), &t).
			InStap("expected '(' in invocation of macro '@%s' taking %s", m.name, plural(len(m.params), "parameter"))
		pp.pushBack(t)
		return false
	}
	open := t
	depth := 0
	pp.args = pp.args[:0]
	begin := 0
	// arg ends an argument.
	arg := func() []token {
		a := slices.Clone(pp.args[begin:])
		begin = len(pp.args)
		return a
	}
	for {
		t = pp.raw()
		switch t.kind {
		case tEOF:
			pp.errorf(open.pos, "the arguments of the macro '@%s' have no closing ')'", m.name)
			return false
		case tLParen, tLBrack, tLBrace, tCondOpen:
			depth++
		case tRBrack, tRBrace, tCondClose:
			depth--
		case tComma:
			if depth == 0 {
				x.args = append(x.args, arg())
				continue
			}
		case tRParen:
			if depth--; depth < 0 {
				if len(pp.args) > begin || len(x.args) > 0 || len(m.params) > 0 {
					x.args = append(x.args, arg())
				}
				if len(x.args) != len(m.params) {
					few := "few"
					if len(x.args) > len(m.params) {
						few = "many"
					}
					pp.errorf(at.pos, "the macro '@%s' takes %s, found %d", m.name, plural(len(m.params), "argument"), len(x.args)).
						InStap("too %s parameters for macro '@%s' (expected %d)", few, m.name, len(m.params))
					return false
				}
				return true
			}
		}
		pp.args = append(pp.args, t)
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
