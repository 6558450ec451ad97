// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"

	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// What variables of the script point to comes with what is assigned to them: $file of a
// struct file*, an array's elements and keys, parameters and results of functions. So all
// code is gone over, as often as there is something new, once all of it has been followed;
// then expressions like x->f_pos, x[3] and @defined of them are resolved again.

// autocasts is what is known of types that go along with values.
type autocasts struct {
	scopes   []*codeScope
	globals  map[string]*carried
	keys     map[string]*carried // by the array's name and the key's place
	results  map[string]*carried // by the function's name and how many parameters it has
	params   map[string][]*carried
	deferred []deferred
	changed  bool
}

// A codeScope is code that shares local variables: a probe's, or a function's.
type codeScope struct {
	bodies []*syntax.Block
	values map[syntax.Expr]*program.Value
	locals map[string]*carried
	params map[string]bool
	result *carried // nil in probes
}

// A deferred expression depends on what variables point to.
type deferred struct {
	x      syntax.Expr
	known  *vars.Resolver
	values map[syntax.Expr]*program.Value
	scope  *codeScope
}

// carried is what a variable points to.
type carried struct {
	to    *vars.Pointed // nil if nothing is known, or if
	other *vars.Pointed // it points to this, too
}

func newAutocasts() *autocasts {
	return &autocasts{
		globals: map[string]*carried{}, keys: map[string]*carried{},
		results: map[string]*carried{}, params: map[string][]*carried{},
	}
}

func (a *autocasts) probe(p *program.ElaboratedProbe) *codeScope {
	s := &codeScope{bodies: p.Bodies, values: p.Values, locals: map[string]*carried{}}
	a.scopes = append(a.scopes, s)
	return s
}

func (a *autocasts) function(decl *syntax.FunctionDecl, values map[syntax.Expr]*program.Value) *codeScope {
	s := &codeScope{bodies: []*syntax.Block{decl.Body}, values: values, locals: map[string]*carried{}, params: map[string]bool{}}
	key := functionKey(decl.Name, len(decl.Params))
	s.result = slot(a.results, key)
	for i, p := range decl.Params {
		if len(a.params[key]) <= i {
			a.params[key] = append(a.params[key], &carried{})
		}
		s.locals[p.Name], s.params[p.Name] = a.params[key][i], true
	}
	a.scopes = append(a.scopes, s)
	return s
}

func functionKey(name string, params int) string { return fmt.Sprintf("%s/%d", name, params) }

func slot(in map[string]*carried, key string) *carried {
	c := in[key]
	if c == nil {
		c = &carried{}
		in[key] = c
	}
	return c
}

// carry notes that c points to what to says, which is nil if that is not known.
func (a *autocasts) carry(c *carried, to *vars.Pointed) {
	switch {
	case to == nil || c == nil || c.other != nil:
	case c.to == nil:
		c.to, a.changed = to, true
	case c.to.String() != to.String():
		c.other, a.changed = to, true
	}
}

// known is what c points to, nil if nothing is known or it is not always the same.
func (c *carried) known() *vars.Pointed {
	if c == nil || c.other != nil {
		return nil
	}
	return c.to
}

// later has x, which may depend on what variables point to, resolved again.
func (el *elaboration) later(x syntax.Expr, known *vars.Resolver, values map[syntax.Expr]*program.Value) {
	if i, ok := x.(*syntax.IndexExpr); ok {
		if name, ok := i.X.(*syntax.Ident); !ok || el.globals[name.Name] || el.lib.HasGlobal(name.Name) || len(i.Index) != 1 || i.Index[0] == nil {
			return
		}
	}
	if el.scope != nil {
		el.autocasts.deferred = append(el.autocasts.deferred, deferred{x, known, values, el.scope})
	}
}

// maxTypeRounds bounds how often the code is gone over: for chains of autocasts through
// variables, each of which needs the one before.
const maxTypeRounds = 30

// resolveAutocasts resolves what depends on types that go along with values.
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
