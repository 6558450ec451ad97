// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"

	"gostap/elaborate/vars"
	"gostap/internal/lazyregexp"
	"gostap/translator/syntax"
)

// inferTypes assigns types along with the assignments, calls, loops and returns of s.
func (el *elaboration) inferTypes(s *codeScope) {
	a := el.autocasts
	el.scope = s
	for _, body := range s.bodies {
		syntax.Inspect(body, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AssignExpr:
				if n.Op == "=" {
					a.assign(el.slotOf(n.X), el.target(n.Y))
				}
			case *syntax.IndexExpr:
				el.assignKeys(n.X, n.Index)
			case *syntax.InExpr:
				el.assignKeys(n.Array, n.Index)
			case *syntax.CallExpr:
				params := a.params[functionKey(n.Name, len(n.Args))]
				for i := range params {
					a.assign(params[i], el.target(n.Args[i]))
				}
			case *syntax.ReturnStmt:
				if n.X != nil {
					a.assign(s.result, el.target(n.X))
				}
			case *syntax.ForeachStmt:
				el.assignLoop(n)
			case *syntax.AtExpr:
				return n.Op != "defined" && n.Op != "probewrite"
			}
			return true
		})
	}
}

// assignKeys assigns the types of an index to the array's keys.
func (el *elaboration) assignKeys(array syntax.Expr, index []syntax.Expr) {
	name, ok := array.(*syntax.Ident)
	if !ok || !el.isGlobal(name) {
		return
	}
	for i, x := range index {
		if x != nil {
			el.autocasts.assign(el.keySlot(name, i), el.target(x))
		}
	}
}

// assignLoop assigns the types of an array's keys and elements to a loop's variables.
func (el *elaboration) assignLoop(n *syntax.ForeachStmt) {
	array, ok := n.Array.(*syntax.Ident)
	if !ok {
		return
	}
	for i, k := range n.Keys {
		el.autocasts.assign(el.slotOf(k), el.keySlot(array, i).known())
	}
	if n.Value != nil {
		el.autocasts.assign(el.slotOf(n.Value), slot(el.autocasts.globals, globalKey(array)).known())
	}
}

// slotOf returns the slot of a variable or of an array's elements; nil if x is neither.
func (el *elaboration) slotOf(x syntax.Expr) *typeSlot {
	switch x := x.(type) {
	case *syntax.Ident:
		if el.isGlobal(x) {
			return slot(el.autocasts.globals, globalKey(x))
		}
		return slot(el.scope.locals, x.Name)
	case *syntax.IndexExpr:
		if name, ok := x.X.(*syntax.Ident); ok && el.isGlobal(name) {
			return slot(el.autocasts.globals, globalKey(name))
		}
	}
	return nil
}

func (el *elaboration) isGlobal(x *syntax.Ident) bool {
	return !el.scope.params[x.Name] && (el.globals[x.Name] || el.lib.HasGlobal(x.Name))
}

// globalKey is a global's name, with its file if it is private to that: private globals may share a name.
func globalKey(x *syntax.Ident) string {
	if x.At.Source == nil || x.At.Source.Origin == syntax.User {
		return x.Name
	}
	return x.Name + " in " + x.At.Source.Path
}

func (el *elaboration) keySlot(array *syntax.Ident, i int) *typeSlot {
	return slot(el.autocasts.keys, fmt.Sprintf("%s %d", globalKey(array), i))
}

// target returns what x points to, nil if that is not known.
func (el *elaboration) target(x syntax.Expr) *vars.Pointed {
	to, _ := el.pointedBy(x)
	return to
}

// pointedBy returns what x points to; nil and the reason if that is not known.
func (el *elaboration) pointedBy(x syntax.Expr) (*vars.Pointed, string) {
	if el.scope == nil {
		return nil, ""
	}
	switch y := x.(type) {
	case *syntax.Ident:
		return el.variablePoints(y.Name, el.slotOf(y))
	case *syntax.CallExpr:
		if to := el.markedResult(y); to != nil {
			return to, ""
		}
		return el.variablePoints(y.Name+"()", el.autocasts.results[functionKey(y.Name, len(y.Args))])
	case *syntax.CondExpr:
		then, els := el.target(y.Then), el.target(y.Else)
		if then == nil || els != nil && els.String() != then.String() {
			return els, ""
		}
		return then, ""
	case *syntax.AssignExpr:
		if y.Op == "=" {
			return el.pointedBy(y.Y)
		}
	case *syntax.AtExpr:
		if y.Op == "entry" && len(y.Args) == 1 {
			return el.pointedBy(y.Args[0])
		}
	case *syntax.IndexExpr:
		if c := el.slotOf(y); c != nil {
			return el.variablePoints(syntax.ExprString(y.X)+"[]", c)
		}
	}
	if v := el.scope.values[x]; v != nil && v.Err == nil {
		to, _ := v.Points.(*vars.Pointed)
		return to, ""
	}
	return nil, ""
}

func (el *elaboration) variablePoints(name string, c *typeSlot) (*vars.Pointed, string) {
	if c != nil && c.other != nil {
		return nil, fmt.Sprintf("%s is a pointer to %s, and to %s elsewhere", name, c.to, c.other)
	}
	return c.known(), ""
}

// pointsMark is the mark of embedded C whose result points to a type of the kernel's.
var pointsMark = lazyregexp.MustCompile(`/\*\s*points:([\w ]+?)\s*\*/`)

// markedResult returns what the result of a function of embedded C points to, by its mark.
func (el *elaboration) markedResult(call *syntax.CallExpr) *vars.Pointed {
	for _, f := range el.functions[call.Name] {
		if f.decl.Code == nil || len(f.decl.Params) != len(call.Args) {
			continue
		}
		if m := pointsMark().FindStringSubmatch(f.decl.Code.Text); m != nil {
			cast := &syntax.TargetVar{At: call.At, Kind: syntax.AtCast, X: call, Name: m[1], Module: "kernel"}
			to, _ := el.anywhere.Resolve(cast, nil).Points.(*vars.Pointed)
			return to
		}
	}
	return nil
}
