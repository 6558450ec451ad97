// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A global is a global variable with the results of the check.
type global struct {
	*program.Global
	decl *syntax.GlobalDecl
	user bool // declared in the user's script

	arity    int // number of keys; unknownArity until it is used
	arityAt  syntax.Pos
	badArity bool

	elem       *tvar
	keys       []*tvar
	statAt     syntax.Pos // its first use as a statistic
	valueAt    syntax.Pos // its first use as a number or string
	varianceAt syntax.Pos
	unassigned bool        // read, but never written
	aggregated bool        // a statistic: <<< adds to it
	setters    []*function // functions that set elements

	reads, writes int
}

const unknownArity = -1

// A local is a local variable or parameter.
type local struct {
	*program.Local
	v             *tvar
	param         bool
	set           bool // an assignment, foreach or catch sets it
	readAt        syntax.Pos
	unassigned    bool // read, but never written
	reads, writes int
}

// A fileScope is the set of names that one file declares privately, or all files publicly.
type fileScope struct {
	globals   map[string]*global
	functions map[string][]*group // by name; a group for each number of parameters
}

func newFileScope() *fileScope {
	return &fileScope{globals: map[string]*global{}, functions: map[string][]*group{}}
}

// privateScope returns the scope of src's private names.
func (c *checker) privateScope(src *syntax.Source) *fileScope {
	s := c.scopes[src]
	if s == nil {
		s = newFileScope()
		c.scopes[src] = s
	}
	return s
}

// declare adds all declarations to their scopes.
func (c *checker) declare() {
	for _, f := range c.elab.Files {
		for _, d := range f.Decls {
			c.pos = d.Pos()
			switch d := d.(type) {
			case *syntax.GlobalDecl:
				c.declareGlobal(d, f.Source)
			case *syntax.FunctionDecl:
				c.declareFunction(d, f.Source)
			case *syntax.ProbeDecl:
				c.handlers[d.Body] = true
			}
		}
	}
	for _, g := range c.groups {
		g.order()
	}
}

func (c *checker) declareGlobal(d *syntax.GlobalDecl, src *syntax.Source) {
	scope := c.public
	if d.Private {
		scope = c.privateScope(src)
	}
	old := scope.globals[d.Name]
	if old != nil && old.user && src.Origin != syntax.User {
		// A tapset's references are to the user's global, those of gostap's own library to its own.
		if c.opts.Builtin == nil || !c.opts.Builtin(src) {
			return
		}
		scope = c.privateScope(src)
		old = scope.globals[d.Name]
	}
	if old != nil {
		c.errorf(d.At, "global %q is declared twice", d.Name).Hint = "first declared at " + old.decl.At.String()
		return
	}
	g := &global{
		Global: &program.Global{At: d.At, Name: d.Name, MaxSize: d.MaxSize, Wrap: d.Wrap},
		decl:   d,
		user:   src.Origin == syntax.User,
		arity:  unknownArity,
	}
	g.elem = newVar(d.Name, d.At)
	switch init := d.Init.(type) {
	case *syntax.NumberLit:
		g.Init = &program.Number{At: init.At, Value: init.Value}
		g.elem.set(program.Long, init.At)
	case *syntax.StringLit:
		g.Init = &program.Text{At: init.At, Value: init.Value}
		g.elem.set(program.String, init.At)
	}
	if g.Init != nil {
		g.arity, g.arityAt = 0, g.Init.Pos()
		g.valueAt = g.Init.Pos()
	}
	scope.globals[d.Name] = g
	c.globals = append(c.globals, g)
	c.globalOf[g.Global] = g
}

// A scope resolves the names in the body of a function or of a probe.
type scope struct {
	c        *checker
	file     *syntax.Source // the file of the code being lowered
	locals   map[string]*local
	list     []*local  // in the order of their first use
	fn       *function // the function, or
	probe    *probe
	decides  bool   // branches that constant conditions exclude are dropped
	where    string // "a probe's condition" and other code without locals; else ""
	values   map[syntax.Expr]*program.Value
	all      []*local // list and the parameters
	byLocal  map[*program.Local]*local
	prints   map[*program.Print]*printForm
	captures map[*program.Foreach]*foreachLoop
	calls    []*program.Call // in the code
	changed  bool            // the last round of elision removed something
	nesting  int             // number of loops around the code being lowered
	loops    []*foreachLoop  // those loops that capture values
	fills    int             // depth of nested target variables being lowered
}

func (c *checker) newScope(src *syntax.Source, values map[syntax.Expr]*program.Value) *scope {
	return &scope{
		c: c, file: src, values: values,
		locals:  map[string]*local{},
		byLocal: map[*program.Local]*local{},
	}
}

// local returns the checker's data of one of the current body's locals.
func (c *checker) local(l *program.Local) *local { return c.cur.byLocal[l] }

// elsewhere returns a scope for code that runs outside of the body of s, and therefore has no locals;
// where describes it in messages.
func (s *scope) elsewhere(where string, src *syntax.Source) *scope {
	if s.prints == nil {
		s.prints = map[*program.Print]*printForm{}
	}
	n := *s
	n.where, n.file, n.locals = where, src, map[string]*local{}
	return &n
}

// global returns the global variable that name refers to here, nil if none. Functions and aliases of
// the embedded library do not see the declarations of the user's script.
func (s *scope) global(name string) *global {
	if own := s.c.scopes[s.file]; own != nil {
		if g := own.globals[name]; g != nil {
			return g
		}
	}
	g := s.c.public.globals[name]
	if g != nil && g.user && s.file.Origin != syntax.User && s.c.opts.Builtin != nil && s.c.opts.Builtin(s.file) {
		return nil
	}
	return g
}

// variable returns the variable that a name refers to, and declares a local if there is none.
func (s *scope) variable(x *syntax.Ident) (*local, *global) {
	if l := s.locals[x.Name]; l != nil && l.param {
		return l, nil
	}
	if g := s.global(x.Name); g != nil {
		s.crossFile(g, x)
		return nil, g
	}
	if l := s.locals[x.Name]; l != nil {
		return l, nil
	}
	return s.newLocal(x.Name, x.At), nil
}

// crossFile warns if a tapset file uses a name that happens to be a global of the user's script.
func (s *scope) crossFile(g *global, x *syntax.Ident) {
	if g.user && s.fn != nil && s.file.Origin != syntax.User && !s.c.opts.NoWarnings {
		s.c.once(s.c.diags.Warnf(g.decl.At, "global %q is also used in %s", g.decl.Name, s.file.Path))
	}
}

func (s *scope) newLocal(name string, at syntax.Pos) *local {
	l := &local{Local: &program.Local{At: at, Name: name}, v: newVar(name, at)}
	s.locals[name] = l
	s.list = append(s.list, l)
	s.byLocal[l.Local] = l
	s.all = append(s.all, l)
	return l
}

// setArity records that g is used with n keys, and reports whether earlier uses agree.
func (s *scope) setArity(g *global, n int, at syntax.Pos) bool {
	if g.badArity {
		return false
	}
	if n == 0 && (g.decl.MaxSize > 0 || g.decl.Wrap) {
		g.badArity = true
		s.c.errorf(at, "%q is an array, but is used without index", g.decl.Name).InStap("inconsistent arity").Hint = "declared at " + g.decl.At.String()
		return false
	}
	if g.arity == unknownArity {
		if n > 9 {
			g.badArity = true
			s.c.errorf(at, "array %q has %d keys; 9 are the most", g.decl.Name, n)
			return false
		}
		g.arity, g.arityAt = n, at
		for i := range n {
			v := newVar(g.decl.Name, g.decl.At)
			v.key = i + 1
			g.keys = append(g.keys, v)
		}
		return true
	}
	if g.arity == n {
		return true
	}
	g.badArity = true
	var d *syntax.Diagnostic
	switch {
	case n == 0:
		d = s.c.errorf(at, "%q is used without index, but is an array at %s", g.decl.Name, g.arityAt)
	case g.arity == 0:
		d = s.c.errorf(at, "%q is used as an array, but is a single value at %s", g.decl.Name, g.arityAt)
	default:
		d = s.c.errorf(at, "array %q is used with %s, but with %d at %s", g.decl.Name, plural(n, "key"), g.arity, g.arityAt)
	}
	d.InStap("inconsistent arity (%d vs %d)", g.arity, n)
	return false
}

// array returns the array that x refers to, for use with n keys; nil after an error.
func (s *scope) array(x *syntax.Ident, n int) *global {
	if l := s.locals[x.Name]; l == nil || !l.param {
		if g := s.global(x.Name); g != nil {
			s.crossFile(g, x)
			if !s.setArity(g, n, x.At) {
				return nil
			}
			return g
		}
	}
	if s.c.undeclared[x.Name] {
		return nil
	}
	s.c.undeclared[x.Name] = true
	d := s.c.errorf(x.At, "%q is used as an array, but is not declared global", x.Name)
	d.InStap("unresolved arity-%d global array %s, missing global declaration?", n, x.Name)
	if d.Hint = s.c.near(x.Name, s.globalNames()); d.Hint == "" {
		d.Hint = "declare it outside of the probe: global " + x.Name
	}
	return nil
}
