// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// An invalid expression stands for one whose error has been reported.
type invalid struct{ at syntax.Pos }

// An unavailable expression is a target variable that has no value here. That is an error
// only if the expression is left after elision.
type unavailable struct {
	at  syntax.Pos
	err *syntax.Diagnostic
}

// cleared is the value of a deleted local: 0 or "".
type cleared struct {
	at    syntax.Pos
	local *local
}

func (*cleared) Type() program.Type     { return program.Unknown }
func (x *cleared) Pos() syntax.Pos      { return x.at }
func (*invalid) Type() program.Type     { return program.Unknown }
func (*unavailable) Type() program.Type { return program.Unknown }
func (x *invalid) Pos() syntax.Pos      { return x.at }
func (x *unavailable) Pos() syntax.Pos  { return x.at }

// operands calls f for each operand of x, in the order of evaluation.
func operands(x program.Expr, f func(*program.Expr)) {
	list := func(xs []program.Expr) {
		for i := range xs {
			if xs[i] != nil {
				f(&xs[i])
			}
		}
	}
	switch x := x.(type) {
	case *program.Element:
		list(x.Keys)
	case *program.Call:
		list(x.Args)
	case *program.Unary:
		f(&x.X)
	case *program.Binary:
		f(&x.X)
		f(&x.Y)
	case *program.Compare:
		f(&x.X)
		f(&x.Y)
	case *program.Logical:
		f(&x.X)
		f(&x.Y)
	case *program.Concat:
		f(&x.X)
		f(&x.Y)
	case *program.Cond:
		f(&x.If)
		f(&x.Then)
		f(&x.Else)
	case *program.Assign:
		f(&x.X)
		f(&x.Y)
	case *program.IncDec:
		f(&x.X)
	case *program.Aggregate:
		f(&x.X)
		f(&x.Y)
	case *program.StatRead:
		f(&x.X)
	case *program.Bucket:
		f(&x.X)
		f(&x.Index)
	case *program.In:
		list(x.Keys)
	case *program.Match:
		f(&x.X)
	case *program.Print:
		list(x.Args)
	case *program.PrintHist:
		f(&x.X)
	case *program.Embedded:
		list(x.Args)
	case *program.Deref:
		f(&x.Addr)
	case *program.Cast:
		f(&x.X)
	}
}

// parts calls fx for each expression and fs for each statement in s, in the order of the source, not
// recursively.
func parts(s program.Stmt, fx func(*program.Expr), fs func(*program.Stmt)) {
	expr := func(x *program.Expr) {
		if *x != nil {
			fx(x)
		}
	}
	stmt := func(s *program.Stmt) {
		if *s != nil {
			fs(s)
		}
	}
	switch s := s.(type) {
	case *program.Eval:
		expr(&s.X)
	case *program.Block:
		for i := range s.Stmts {
			stmt(&s.Stmts[i])
		}
	case *program.If:
		expr(&s.Cond)
		stmt(&s.Then)
		stmt(&s.Else)
	case *program.For:
		expr(&s.Init)
		expr(&s.Cond)
		expr(&s.Post)
		stmt(&s.Body)
	case *program.Foreach:
		for i := range s.Slice {
			expr(&s.Slice[i])
		}
		expr(&s.Limit)
		stmt(&s.Body)
	case *program.ForeachBucket:
		expr(&s.X)
		expr(&s.Limit)
		stmt(&s.Body)
	case *program.Return:
		expr(&s.X)
	case *program.Delete:
		expr(&s.X)
	case *program.Try:
		stmt(&s.Body)
		expr(&s.Msg)
		stmt(&s.Catch)
	}
}

// eachExpr calls f for each expression in s, outer ones first.
func eachExpr(s program.Stmt, f func(program.Expr)) {
	if s == nil {
		return
	}
	var expr func(*program.Expr)
	expr = func(x *program.Expr) {
		f(*x)
		operands(*x, expr)
	}
	parts(s, expr, func(s *program.Stmt) { eachExpr(*s, f) })
}

// eachStmt calls f for s and each statement in it, outer ones first.
func eachStmt(s program.Stmt, f func(program.Stmt)) {
	if s == nil {
		return
	}
	f(s)
	parts(s, func(*program.Expr) {}, func(s *program.Stmt) { eachStmt(*s, f) })
}

// copyExpr copies the tree x, so that a value of elaboration can be changed in one place and not in
// others.
func copyExpr(x program.Expr) program.Expr {
	list := func(xs []program.Expr) []program.Expr { return append([]program.Expr(nil), xs...) }
	switch v := x.(type) {
	case *program.Element:
		n := *v
		n.Keys = list(v.Keys)
		x = &n
	case *program.Call:
		n := *v
		n.Args = list(v.Args)
		x = &n
	case *program.Unary:
		n := *v
		x = &n
	case *program.Binary:
		n := *v
		x = &n
	case *program.Compare:
		n := *v
		x = &n
	case *program.Logical:
		n := *v
		x = &n
	case *program.Concat:
		n := *v
		x = &n
	case *program.Cond:
		n := *v
		x = &n
	case *program.Match:
		n := *v
		x = &n
	case *program.Print:
		n := *v
		n.Args = list(v.Args)
		x = &n
	case *program.Embedded:
		n := *v
		n.Args = list(v.Args)
		x = &n
	case *program.SavedValue:
		n := *v
		x = &n
	case *program.Deref:
		n := *v
		x = &n
	case *program.Cast:
		n := *v
		x = &n
	}
	operands(x, func(y *program.Expr) { *y = copyExpr(*y) })
	return x
}
