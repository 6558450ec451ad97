// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// value resolves one target variable or @operator.
func (el *elaboration) value(x syntax.Expr, known *vars.Resolver, values map[syntax.Expr]*program.Value) *program.Value {
	el.at = x.Pos()
	if known == nil {
		known = el.anywhere
	}
	if at, ok := x.(*syntax.AtExpr); ok {
		switch at.Op {
		case "defined":
			return truth(at, el.defined(at.Args, known))
		case "kderef", "uderef":
			return deref(at)
		case "perf":
			return el.counter(at)
		case "probewrite":
			if el.handler == nil {
				return vars.Refused(at.At, "@probewrite tells of the probe that it stands in, and this is a function")
			}
			return truth(at, len(at.Args) == 1 && el.written(at.Args[0]))
		}
	}
	v := known.Resolve(x, values)
	if _, ok := x.(*syntax.TargetVar); ok && v.Err != nil && el.env.Target.SkipBadVars {
		return &program.Value{X: &program.Number{At: x.Pos()}}
	}
	el.callsOf(v.X, known)
	return v
}

// callsOf includes the functions that a value calls, also a value that is saved at the function's entry.
func (el *elaboration) callsOf(value program.Expr, known *vars.Resolver) {
	walk(value, func(x program.Expr) {
		switch x := x.(type) {
		case *program.ScriptExpr:
			if call, ok := x.X.(*syntax.CallExpr); ok {
				el.call(call.Name, len(call.Args))
			}
		case *program.SavedValue:
			el.callsOf(known.Saved()[x.Index], known)
		}
	})
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
	place := &program.Deref{At: at.At, Addr: &program.ScriptExpr{X: at.Args[1]}, Size: int(size), User: at.Op == "uderef"}
	return &program.Value{X: place, Store: place}
}

func truth(at *syntax.AtExpr, is bool) *program.Value {
	n := &program.Number{At: at.At}
	if is {
		n.Value = 1
	}
	return &program.Value{X: n}
}

// defined reports whether all target variables in args have a value.
func (el *elaboration) defined(args []syntax.Expr, known *vars.Resolver) bool {
	is := true
	for _, arg := range args {
		syntax.Inspect(arg, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AtExpr:
				if n.Op == "defined" || n.Op == "probewrite" {
					return false
				}
				is = is && known.Exists(n)
			case *syntax.TargetVar:
				is = is && known.Exists(n)
			}
			return is
		})
	}
	return is
}

// written reports whether the current probe assigns to x, a target variable
// or a variable that its handler shares with its aliases' bodies.
func (el *elaboration) written(x syntax.Expr) bool {
	want, found := syntax.ExprString(x), false
	bodies := el.bodies
	if _, ok := x.(*syntax.Ident); ok {
		bodies = []*syntax.Block{el.handler}
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

// usesTargets reports whether body depends on the probe site.
func (el *elaboration) usesTargets(body *syntax.Block) bool {
	if known, ok := el.targets[body]; ok {
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
	el.targets[body] = found
	return found
}
