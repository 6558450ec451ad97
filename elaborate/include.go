// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// include adds a file to the program. Its probes and aliases count from then
// on; its functions do once something calls them.
func (s *session) include(file *syntax.File) {
	if s.included[file] {
		return
	}
	s.included[file] = true
	s.out.Files = append(s.out.Files, file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.FunctionDecl:
			s.functions[d.Name] = append(s.functions[d.Name], function{file, d})
		case *syntax.GlobalDecl:
			s.globals[d.Name] = true
		case *syntax.AliasDecl:
			if file.Source.Origin == syntax.User {
				s.aliases = append(s.aliases, alias{file, d})
			}
		case *syntax.ProbeDecl:
			s.pending = append(s.pending, d)
		}
	}
	if file.Source.Origin != syntax.User {
		return
	}
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.FunctionDecl); ok {
			s.call(d.Name) // to be checked whether it is called or not
		}
	}
}

// call follows a call of name into the functions of that name.
func (s *session) call(name string) {
	if !s.hidden(name) {
		for _, f := range s.lib.functions[name] {
			s.include(f.file)
		}
	}
	for _, f := range s.functions[name] {
		if !s.followed[f.decl] {
			s.followed[f.decl] = true
			if f.decl.Body != nil {
				s.function(f.decl.Body)
			}
		}
	}
}

// function follows a function's body, which is no part of the probe that is elaborated.
func (s *session) function(body *syntax.Block) {
	bodies, handler := s.bodies, s.handler
	s.bodies, s.handler = nil, nil
	s.follow(body, nil, s.out.Values)
	s.bodies, s.handler = bodies, handler
}

// hidden reports whether the user's functions called name hide the library's:
// they come first, and leave none of their calls to others.
func (s *session) hidden(name string) bool {
	hidden := false
	for _, f := range s.functions[name] {
		if f.file.Source.Origin != syntax.User {
			continue
		}
		hidden = true
		if f.decl.Priority != nil || f.decl.Body == nil {
			return false
		}
		syntax.Inspect(f.decl.Body, func(n syntax.Node) bool {
			if _, ok := n.(*syntax.NextStmt); ok {
				hidden = false
			}
			return hidden
		})
		if !hidden {
			return false
		}
	}
	return hidden
}

// follow pulls in what body refers to and resolves its target variables with
// vars into values.
func (s *session) follow(body syntax.Node, vars Resolver, values map[syntax.Expr]*program.Value) {
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.call(n.Name)
		case *syntax.Ident:
			if file := s.lib.globals[n.Name]; file != nil && !s.globals[n.Name] {
				s.include(file)
			}
		case *syntax.TargetVar:
			values[n] = s.value(n, vars, values)
		case *syntax.AtExpr:
			values[n] = s.value(n, vars, values)
			return n.Op != "defined" && n.Op != "probewrite" // what is in those is not evaluated
		}
		return true
	})
}

// value resolves one target variable or @operator.
func (s *session) value(x syntax.Expr, vars Resolver, values map[syntax.Expr]*program.Value) *program.Value {
	s.at = x.Pos()
	if vars == nil {
		vars = s.anywhere
	}
	if at, ok := x.(*syntax.AtExpr); ok {
		switch at.Op {
		case "defined":
			return truth(at, s.defined(at.Args, vars))
		case "kderef", "uderef":
			return deref(at)
		case "probewrite":
			if s.handler == nil {
				return refused(at.At, "@probewrite tells of the probe that it stands in, and this is a function")
			}
			return truth(at, len(at.Args) == 1 && s.written(at.Args[0]))
		}
	}
	v := vars.Resolve(x, values)
	// What the value calls is pulled in, as if the script called it.
	walk(v.X, func(x program.Expr) {
		if op, ok := x.(*program.Operand); ok {
			if call, ok := op.X.(*syntax.CallExpr); ok {
				s.call(call.Name)
			}
		}
	})
	return v
}

// deref resolves @kderef(SIZE, address) and @uderef.
func deref(at *syntax.AtExpr) *program.Value {
	var size int64
	if len(at.Args) == 2 {
		if n, ok := at.Args[0].(*syntax.NumberLit); ok {
			size = n.Value
		}
	}
	if size != 1 && size != 2 && size != 4 && size != 8 {
		return &program.Value{Err: &syntax.Diagnostic{Pos: at.At,
			Msg: "@" + at.Op + " takes a size of 1, 2, 4 or 8, as a number, and an address"}}
	}
	return &program.Value{X: &program.Deref{At: at.At, Addr: &program.Operand{X: at.Args[1]}, Size: int(size), User: at.Op == "uderef"}}
}

func truth(at *syntax.AtExpr, is bool) *program.Value {
	n := &program.Number{At: at.At}
	if is {
		n.Value = 1
	}
	return &program.Value{X: n}
}

// defined reports whether all target variables in args have a value.
func (s *session) defined(args []syntax.Expr, vars Resolver) bool {
	is := true
	for _, arg := range args {
		syntax.Inspect(arg, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AtExpr:
				if n.Op == "defined" || n.Op == "probewrite" {
					return false
				}
				is = is && vars.Exists(n)
			case *syntax.TargetVar:
				is = is && vars.Exists(n)
			}
			return is
		})
	}
	return is
}

// written reports whether the current probe assigns to x, a target variable,
// or a variable that its own handler shares with its aliases.
func (s *session) written(x syntax.Expr) bool {
	want, found := syntax.ExprString(x), false
	bodies := s.bodies
	if _, ok := x.(*syntax.Ident); ok {
		bodies = []*syntax.Block{s.handler}
	}
	same := func(x syntax.Expr) { found = found || syntax.ExprString(x) == want }
	for _, body := range bodies {
		syntax.Inspect(body, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AssignExpr:
				same(n.X)
			case *syntax.IncDecExpr:
				same(n.X)
			}
			return !found
		})
	}
	return found
}

// usesTargets reports whether what runs in body depends on the place it runs at.
func (s *session) usesTargets(body *syntax.Block) bool {
	if known, ok := s.targets[body]; ok {
		return known
	}
	found := false
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TargetVar:
			found = found || n.Kind == syntax.DollarVar || n.Kind == syntax.AtVar
		case *syntax.AtExpr:
			found = found || n.Op != "defined" && n.Op != "enum"
		}
		return !found
	})
	s.targets[body] = found
	return found
}
