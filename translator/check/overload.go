// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A function is one declared variant.
type function struct {
	*program.Function
	decl       *syntax.FunctionDecl
	src        *syntax.Source
	group      *group
	scope      *scope
	body       program.Stmt
	bareReturn syntax.Pos // a return without value
	next       bool       // falls through to the next variant somewhere
	pure       bool
	live       bool
}

// A group is the set of variants of a function's name and number of parameters, by priority. Their
// parameters and results have the same types.
type group struct {
	name     string
	variants []*function
	params   []*tvar
	result   *tvar
	used     bool       // called from somewhere
	returns  bool       // a variant returns a value other than a call's
	callAt   syntax.Pos // where its result is first used as a value
}

func (c *checker) declareFunction(d *syntax.FunctionDecl, src *syntax.Source) {
	scope := c.public
	if d.Private {
		scope = c.privateScope(src)
	}
	var g *group
	for _, have := range scope.functions[d.Name] {
		if len(have.params) == len(d.Params) {
			g = have
		}
	}
	if g == nil {
		g = &group{name: d.Name, result: newVar(d.Name, d.At)}
		g.result.result = true
		for i, p := range d.Params {
			v := newVar(d.Name, p.At)
			v.param = i + 1
			g.params = append(g.params, v)
		}
		scope.functions[d.Name] = append(scope.functions[d.Name], g)
		c.groups = append(c.groups, g)
	}
	f := &function{
		Function: &program.Function{At: d.At, Script: d.Name, Code: d.Code},
		decl:     d,
		src:      src,
		group:    g,
	}
	f.Builtin = d.Code != nil && c.isBuiltin(d.At)
	g.variants = append(g.variants, f)
	c.groupOf[f.Function] = g
}

// priority orders the variants of a group: user's before library's, unless they declare a priority.
func (f *function) priority() int64 {
	switch {
	case f.decl.Priority != nil:
		return *f.decl.Priority
	case f.src.Origin == syntax.User:
		return 0
	}
	return 1
}

func (g *group) order() {
	slices.SortStableFunc(g.variants, func(a, b *function) int { return cmp.Compare(a.priority(), b.priority()) })
}

// find returns the group that a call refers to, or reports that there is none.
func (s *scope) find(x *syntax.CallExpr) *group {
	n := len(x.Args)
	var others []*group
	if own := s.c.scopes[s.file]; own != nil {
		others = append(others, own.functions[x.Name]...)
	}
	others = append(others, s.c.public.functions[x.Name]...)
	for _, g := range others {
		if len(g.params) == n {
			return g
		}
	}
	if len(others) > 0 {
		counts := make([]string, len(others))
		for i, g := range others {
			counts[i] = strconv.Itoa(len(g.params))
		}
		noun := " argument"
		if counts[len(counts)-1] != "1" {
			noun = " arguments"
		}
		d := s.c.errorf(x.At, "function %q takes %s, found %d", x.Name, strings.Join(counts, " or ")+noun, n)
		d.Hint = "declared at " + others[0].variants[0].decl.At.String()
		d.InStap("arity mismatch found (function '%s' takes %d args)", x.Name, len(others[0].params))
		return nil
	}
	d := s.c.errorf(x.At, "unknown function %q", x.Name)
	d.InStap("unresolved function %s%s", x.Name, suggest.Similar("", suggest.Nearest(x.Name, s.functionNames(), 5)))
	d.Hint = s.c.near(x.Name, s.functionNames())
	if d.Hint == "" && s.global(x.Name) != nil {
		d.Hint = "there is a global of that name"
	}
	return nil
}

// call records that g is called, and queues it for lowering.
func (c *checker) call(g *group) {
	if g.used {
		return
	}
	g.used = true
	c.queue = append(c.queue, g.variants...)
}

// link drops the variants that can't be reached, and chains the others.
func (c *checker) link(g *group) {
	for i, f := range g.variants {
		if !f.next {
			for _, never := range g.variants[i+1:] {
				never.scope.never(never.body)
				c.warnf(never.At, "this function %q is never reached: the one before it has no next", g.name)
			}
			g.variants = g.variants[:i+1]
			break
		}
	}
	for i, f := range g.variants[1:] {
		g.variants[i].Next = f.Function
	}
}

// lowerFunction lowers f's body.
func (c *checker) lowerFunction(f *function) {
	c.pos = f.At
	s := c.newScope(f.src, c.elab.Values)
	s.fn = f
	f.scope = s
	for i, p := range f.decl.Params {
		l := &local{Local: &program.Local{At: p.At, Name: p.Name}, v: f.group.params[i], param: true}
		s.locals[p.Name] = l
		s.byLocal[l.Local] = l
		s.all = append(s.all, l)
		f.Params = append(f.Params, l.Local)
		c.declareType(p.Type, f.group.params[i], p.At)
	}
	if f.decl.Result != "" {
		c.declareType(f.decl.Result, f.group.result, f.decl.At)
	}
	if f.Code != nil {
		f.next = strings.Contains(f.Code.Text, "STAP_NEXT")
		f.Pure = hasMarker(f.Code, "pure")
		c.matched = c.matched || strings.Contains(f.Code.Text, "pragma:tagged_dfa")
		s.pragmas(f.Code)
	} else {
		f.body = s.block(f.decl.Body)
	}
	c.matched = c.matched || f.Script == "matched" && f.src.Origin != syntax.User
}

func (c *checker) declareType(name syntax.TypeName, v *tvar, at syntax.Pos) {
	switch name {
	case "long":
		c.unify(term{t: program.Long}, term{v: v}, at)
	case "string":
		c.unify(term{t: program.String}, term{v: v}, at)
	}
}

// nameFunctions gives every function that is kept a unique name.
func (c *checker) nameFunctions(funcs []*function) {
	count := map[string]int{}
	for _, f := range funcs {
		count[f.Script]++
	}
	taken := map[string]bool{}
	for _, f := range funcs {
		if f.Builtin {
			f.Name = builtinName(f.decl, f.src)
			taken[f.Name] = true
		}
	}
	for _, f := range funcs {
		if count[f.Script] == 1 && !f.Builtin && !taken[f.Script] {
			f.Name = f.Script
			taken[f.Name] = true
		}
	}
	for _, f := range funcs {
		if f.Name == "" {
			name := f.Script
			if f.decl.Private && f.src.Origin != syntax.User {
				name = fileWord(f.src) + "__" + name
			}
			f.Name = unique(taken, name+"__"+strconv.Itoa(len(f.Params))+"_"+strconv.Itoa(slices.Index(f.group.variants, f)+1))
		}
	}
}

// unique adds a name to taken, with a number appended if it is in use.
func unique(taken map[string]bool, name string) string {
	have := name
	for i := 2; taken[have] && i < math.MaxInt32; i++ {
		have = name + "_" + strconv.Itoa(i)
	}
	taken[have] = true
	return have
}
