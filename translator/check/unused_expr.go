// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// removable reports whether g is never read. The user's globals are printed at the end.
func (g *global) removable() bool { return g.reads <= 0 && !g.user }

// effects returns the parts of x that have effects, in order.
func (e *elider) effects(x program.Expr) []program.Expr {
	switch v := x.(type) {
	case *program.Assign:
		if e.removable(v.X) {
			e.updates = e.updates || updates(v)
			return append(e.removed(v.X), e.effects(v.Y)...)
		}
		v.X, v.Y = e.lvalue(v.X), e.needed(v.Y)
		return []program.Expr{x}
	case *program.IncDec:
		if e.removable(v.X) {
			e.updates = true
			return e.removed(v.X)
		}
		v.X = e.lvalue(v.X)
		return []program.Expr{x}
	case *program.Aggregate:
		if e.removable(v.X) {
			return append(e.removed(v.X), e.effects(v.Y)...)
		}
		v.X, v.Y = e.lvalue(v.X), e.needed(v.Y)
		return []program.Expr{x}
	case *program.Logical:
		if rest := e.effects(v.Y); len(rest) == 0 {
			return e.effects(v.X)
		}
		return []program.Expr{e.needed(x)}
	case *program.Cond:
		if len(e.effects(v.Then)) == 0 && len(e.effects(v.Else)) == 0 {
			return e.effects(v.If)
		}
		return []program.Expr{e.needed(x)}
	case *program.Call:
		if !e.c.pureCall(v) {
			return []program.Expr{e.needed(x)}
		}
	default:
		if !e.c.pureNode(x) {
			return []program.Expr{e.needed(x)}
		}
	}
	var rest []program.Expr
	operands(x, func(y *program.Expr) { rest = append(rest, e.effects(*y)...) })
	return rest
}

// updates reports whether SystemTap keeps an assignment although nothing reads the variable: one to a
// global, one by an operator, or delete's.
func updates(x *program.Assign) bool {
	_, local := x.X.(*program.LocalRef)
	_, deleted := x.Y.(*cleared)
	return !local || deleted || x.Op != ""
}

// removed warns that the assignment to x is useless, and returns the parts of its keys that have
// effects. There is no warning about a variable that only removed code reads, as that follows from
// another warning.
func (e *elider) removed(x program.Expr) []program.Expr {
	e.warned = true
	switch x := x.(type) {
	case *program.LocalRef:
		switch l := e.c.local(x.Local); {
		case e.quiet || l.readAt.IsValid():
		case l.param:
			e.c.warnUnused(x.At, "parameter %q is set, but not read afterwards; left out", l.Name).InStap("Eliding assignment to '%s'", l.Name)
		default:
			e.c.warnUnused(l.At, "%q is set, but never read; left out", l.Name).InStap("Eliding assignment to '%s'", l.Name)
		}
	case *program.Element:
		return e.keyEffects(x.Keys)
	}
	return nil
}

func (e *elider) keyEffects(keys []program.Expr) []program.Expr {
	var rest []program.Expr
	for _, k := range keys {
		if k != nil {
			rest = append(rest, e.effects(k)...)
		}
	}
	return rest
}

// needed removes from x, whose value is used, the assignments to variables that are never read, and
// returns the rest.
func (e *elider) needed(x program.Expr) program.Expr {
	if v, ok := x.(*program.Assign); ok && v.Op == "" && e.removable(v.X) {
		if rest := e.removed(v.X); len(rest) == 0 {
			e.changed = true
			return e.needed(v.Y)
		}
	}
	operands(x, func(y *program.Expr) { *y = e.needed(*y) })
	return x
}

// lvalue is needed for operands of an lvalue.
func (e *elider) lvalue(x program.Expr) program.Expr {
	operands(x, func(y *program.Expr) { *y = e.needed(*y) })
	return x
}

// block makes a block of s, which may be nil.
func block(s program.Stmt, at syntax.Pos) *program.Block {
	if b, ok := s.(*program.Block); ok {
		return b
	}
	b := &program.Block{At: at}
	if s != nil {
		b.Stmts = []program.Stmt{s}
	}
	return b
}
