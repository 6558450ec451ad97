// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A function is one overload of a function, with its file.
type function struct {
	file *syntax.File
	decl *syntax.FunctionDecl
}

// include adds a file to the program. Its probes and aliases are added at once, its
// functions when something calls them.
func (el *elaboration) include(file *syntax.File) {
	if el.included[file] {
		return
	}
	el.included[file] = true
	el.out.Files = append(el.out.Files, file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.FunctionDecl:
			el.functions[d.Name] = append(el.functions[d.Name], function{file, d})
		case *syntax.GlobalDecl:
			el.globals[d.Name] = true
		case *syntax.AliasDecl:
			if file.Source.Origin == syntax.User {
				el.aliases = append(el.aliases, alias{file, d})
				el.refuseArguments(d)
			}
		case *syntax.ProbeDecl:
			el.pending = append(el.pending, d)
		}
	}
	if file.Source.Origin != syntax.User {
		return
	}
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.FunctionDecl); ok {
			el.call(d.Name, len(d.Params)) // the user's functions are checked even if nothing calls them
		}
	}
}

// call includes the functions that a call of name with n arguments may mean, and elaborates the bodies of all of the name.
func (el *elaboration) call(name string, n int) {
	if !el.hidden(name, n) {
		for _, file := range el.lib.Functions(name) {
			el.include(file)
		}
	}
	for _, f := range el.functions[name] {
		if !el.followed[f.decl] {
			el.followed[f.decl] = true
			if f.decl.Body != nil {
				el.function(f.decl)
			}
		}
	}
}

// function elaborates a function's body, outside of the current probe.
func (el *elaboration) function(decl *syntax.FunctionDecl) {
	bodies, handler, scope := el.bodies, el.handler, el.scope
	el.bodies, el.handler, el.scope = nil, nil, el.autocasts.function(decl, el.out.Values)
	el.follow(decl.Body, nil, el.out.Values)
	el.bodies, el.handler, el.scope = bodies, handler, scope
}

// hidden reports whether the user's functions called name, with n parameters, hide the library's:
// they come first, and none of them falls through to the next overload.
func (el *elaboration) hidden(name string, n int) bool {
	hidden := false
	for _, f := range el.functions[name] {
		if f.file.Source.Origin != syntax.User || len(f.decl.Params) != n {
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

// follow includes what body refers to, and resolves its target variables into values;
// known is nil if there is no probe site.
func (el *elaboration) follow(body syntax.Node, known *vars.Resolver, values map[syntax.Expr]*program.Value) {
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			el.call(n.Name, len(n.Args))
		case *syntax.Ident:
			if el.lib.HasGlobal(n.Name) && !el.globals[n.Name] {
				el.include(el.lib.Global(n.Name))
			}
		case *syntax.TargetVar:
			values[n] = el.value(n, known, values)
			if n.Kind == syntax.AutoCast {
				el.deferResolution(n, known, values)
			}
		case *syntax.IndexExpr:
			el.deferResolution(n, known, values)
		case *syntax.AtExpr:
			values[n] = el.value(n, known, values)
			if n.Op == "defined" && hasAutocast(n) {
				el.deferResolution(n, known, values)
			}
			return n.Op != "defined" && n.Op != "probewrite" // their arguments are not evaluated
		}
		return true
	})
}
