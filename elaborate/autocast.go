// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"

	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// The script's variables have no declared types, yet x->f_pos needs one. The type is inferred from
// assignments: after x = $file, x points to a struct file. Elements and keys of arrays, parameters and
// results of functions get types in the same way. Inference goes over all code until nothing changes;
// then expressions like x->f_pos, x[3] and @defined of them are resolved again.

// autocasts is the state of the inference.
type autocasts struct {
	scopes   []*codeScope
	globals  map[string]*typeSlot
	keys     map[string]*typeSlot // by the array's name and the key's index
	results  map[string]*typeSlot // by the function's name and how many parameters it has
	params   map[string][]*typeSlot
	deferred []deferred
	changed  bool
}

// A codeScope is code that shares local variables: a probe's, or a function's.
type codeScope struct {
	bodies []*syntax.Block
	values map[syntax.Expr]*program.Value
	locals map[string]*typeSlot
	params map[string]bool
	result *typeSlot // nil in probes
}

// A deferred expression depends on what variables point to.
type deferred struct {
	x      syntax.Expr
	known  *vars.Resolver
	values map[syntax.Expr]*program.Value
	scope  *codeScope
}

// A typeSlot is the type that a variable is inferred to point to.
type typeSlot struct {
	to    *vars.Pointed // nil if nothing is known
	other *vars.Pointed // a second one, which makes it unknown
}

func newAutocasts() *autocasts {
	return &autocasts{
		globals: map[string]*typeSlot{}, keys: map[string]*typeSlot{},
		results: map[string]*typeSlot{}, params: map[string][]*typeSlot{},
	}
}

func (a *autocasts) probe(p *program.ElaboratedProbe) *codeScope {
	s := &codeScope{bodies: p.Bodies, values: p.Values, locals: map[string]*typeSlot{}}
	a.scopes = append(a.scopes, s)
	return s
}

func (a *autocasts) function(decl *syntax.FunctionDecl, values map[syntax.Expr]*program.Value) *codeScope {
	s := &codeScope{bodies: []*syntax.Block{decl.Body}, values: values, locals: map[string]*typeSlot{}, params: map[string]bool{}}
	key := functionKey(decl.Name, len(decl.Params))
	s.result = slot(a.results, key)
	for i, p := range decl.Params {
		if len(a.params[key]) <= i {
			a.params[key] = append(a.params[key], &typeSlot{})
		}
		s.locals[p.Name], s.params[p.Name] = a.params[key][i], true
	}
	a.scopes = append(a.scopes, s)
	return s
}

func functionKey(name string, params int) string { return fmt.Sprintf("%s/%d", name, params) }

func slot(in map[string]*typeSlot, key string) *typeSlot {
	c := in[key]
	if c == nil {
		c = &typeSlot{}
		in[key] = c
	}
	return c
}

// assign assigns a pointer to the variable of a slot; to is nil if it is not known what it points to.
func (a *autocasts) assign(c *typeSlot, to *vars.Pointed) {
	switch {
	case to == nil || c == nil || c.other != nil:
	case c.to == nil:
		c.to, a.changed = to, true
	case c.to.String() != to.String():
		c.other, a.changed = to, true
	}
}

// known is what c points to, nil if nothing is known or it is not always the same.
func (c *typeSlot) known() *vars.Pointed {
	if c == nil || c.other != nil {
		return nil
	}
	return c.to
}

// deferResolution makes x, which may depend on what variables point to, be resolved again after
// inference.
func (el *elaboration) deferResolution(x syntax.Expr, known *vars.Resolver, values map[syntax.Expr]*program.Value) {
	if i, ok := x.(*syntax.IndexExpr); ok {
		if name, ok := i.X.(*syntax.Ident); !ok || el.globals[name.Name] || el.lib.HasGlobal(name.Name) || len(i.Index) != 1 || i.Index[0] == nil {
			return
		}
	}
	if el.scope != nil {
		el.autocasts.deferred = append(el.autocasts.deferred, deferred{x, known, values, el.scope})
	}
}

// maxTypeRounds bounds the rounds of inference: chains of autocasts take one for each link.
const maxTypeRounds = 30

// resolveAutocasts infers types, and resolves the expressions that depend on them.
func (el *elaboration) resolveAutocasts() {
	a := el.autocasts
	if len(a.deferred) == 0 {
		return
	}
	for round := 0; round < maxTypeRounds; round++ {
		a.changed = false
		for _, s := range a.scopes {
			el.inferTypes(s)
		}
		if !a.changed && round > 0 {
			return
		}
		for _, d := range a.deferred {
			el.scope = d.scope
			el.resolveAgain(d)
		}
	}
}

func (el *elaboration) resolveAgain(d deferred) {
	switch x := d.x.(type) {
	case *syntax.IndexExpr:
		access := []syntax.Access{{At: x.At, Index: x.Index[0]}}
		element := &syntax.TargetVar{At: x.At, Kind: syntax.AutoCast, X: x.X, Access: access}
		if to, _ := el.pointedBy(x.X); to != nil {
			d.values[x] = el.value(element, d.known, d.values)
		}
	default:
		d.values[x] = el.value(x, d.known, d.values)
	}
}

// hasAutocast reports whether what is in x may depend on what variables point to.
func hasAutocast(x syntax.Node) bool {
	found := false
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TargetVar:
			found = found || n.Kind == syntax.AutoCast
		case *syntax.IndexExpr:
			found = true
		}
		return !found
	})
	return found
}
