// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"slices"
	"strings"

	"gostap/translator/program"
)

// operands returns e's operands in the order of their evaluation. The lvalue
// of an assignment counts as one.
func operands(e program.Expr) []program.Expr {
	switch e := e.(type) {
	case *program.Element:
		return keysOf(e.Keys)
	case *program.Call:
		return e.Args
	case *program.Unary:
		return []program.Expr{e.X}
	case *program.Binary:
		return []program.Expr{e.X, e.Y}
	case *program.Compare:
		return []program.Expr{e.X, e.Y}
	case *program.Logical:
		return []program.Expr{e.X, e.Y}
	case *program.Concat:
		return []program.Expr{e.X, e.Y}
	case *program.Cond:
		return []program.Expr{e.If, e.Then, e.Else}
	case *program.Assign:
		return []program.Expr{e.X, e.Y}
	case *program.IncDec:
		return []program.Expr{e.X}
	case *program.Aggregate:
		return []program.Expr{e.X, e.Y}
	case *program.StatRead:
		return []program.Expr{e.X}
	case *program.Bucket:
		return []program.Expr{e.X, e.Index}
	case *program.In:
		return keysOf(e.Keys)
	case *program.Match:
		return []program.Expr{e.X}
	case *program.Print:
		return e.Args
	case *program.PrintHist:
		return []program.Expr{e.X}
	case *program.Embedded:
		return e.Args
	case *program.Deref:
		return []program.Expr{e.Addr}
	case *program.Cast:
		return []program.Expr{e.X}
	}
	return nil
}

// keysOf removes the nils that stand for *.
func keysOf(keys []program.Expr) []program.Expr {
	var xs []program.Expr
	for _, k := range keys {
		if k != nil {
			xs = append(xs, k)
		}
	}
	return xs
}

// anyExpr reports whether f holds for e or for any expression in it.
func anyExpr(e program.Expr, f func(program.Expr) bool) bool {
	if e == nil {
		return false
	}
	if f(e) {
		return true
	}
	for _, x := range operands(e) {
		if anyExpr(x, f) {
			return true
		}
	}
	return false
}

// A visitor walks over statements and calls its functions.
type visitor struct {
	// expr is called for each expression after its operands, but not for lvalues; used is false if the
	// value is not used.
	expr func(e program.Expr, used bool)
	// enter and leave surround a statement; each may be nil.
	enter, leave func(s program.Stmt)
}

func (v *visitor) stmts(list []program.Stmt) {
	for _, s := range list {
		v.stmt(s)
	}
}

func (v *visitor) stmt(s program.Stmt) {
	if s == nil {
		return
	}
	if v.enter != nil {
		v.enter(s)
	}
	switch s := s.(type) {
	case *program.Eval:
		v.walk(s.X, false)
	case *program.Block:
		v.stmts(s.Stmts)
	case *program.If:
		v.walk(s.Cond, true)
		v.stmt(s.Then)
		v.stmt(s.Else)
	case *program.For:
		v.walk(s.Init, false)
		v.walk(s.Cond, true)
		v.stmt(s.Body)
		v.walk(s.Post, false)
	case *program.Foreach:
		for _, k := range keysOf(s.Slice) {
			v.walk(k, true)
		}
		v.walk(s.Limit, true)
		v.stmt(s.Body)
	case *program.ForeachBucket:
		v.lvalue(s.X)
		v.walk(s.Limit, true)
		v.stmt(s.Body)
	case *program.Return:
		v.walk(s.X, true)
	case *program.Delete:
		v.lvalue(s.X)
	case *program.Try:
		v.stmt(s.Body)
		v.stmt(s.Catch)
	}
	if v.leave != nil {
		v.leave(s)
	}
}

func (v *visitor) walk(e program.Expr, used bool) {
	if e == nil {
		return
	}
	for i, x := range operands(e) {
		if i == 0 && hasLvalue(e) {
			v.lvalue(x)
		} else {
			v.walk(x, true)
		}
	}
	v.expr(e, used)
}

// lvalue walks over the operands of the lvalue x, but not over x itself.
func (v *visitor) lvalue(x program.Expr) {
	if x == nil {
		return
	}
	for _, y := range operands(x) {
		v.walk(y, true)
	}
}

// hasLvalue reports whether e's first operand is an lvalue that e writes, or a statistic whose figures
// it reads, and not a value.
func hasLvalue(e program.Expr) bool {
	switch e.(type) {
	case *program.Assign, *program.IncDec, *program.Aggregate, *program.StatRead, *program.Bucket, *program.PrintHist:
		return true
	}
	return false
}

// keepsMatches reports whether the script reads the groups that a regular expression matched.
func keepsMatches(p *program.Program) bool {
	keeps := false
	v := visitor{expr: func(e program.Expr, _ bool) {
		if m, ok := e.(*program.Match); ok && m.Keep {
			keeps = true
		}
	}}
	for _, fn := range p.Functions {
		v.stmts(fn.Body)
	}
	for _, pr := range p.Probes {
		v.walk(pr.Cond, true)
		v.stmts(pr.Body)
	}
	return keeps
}

// tokenizes reports whether the script leaves a string for later calls of the library's tokenize().
func tokenizes(p *program.Program) bool {
	return slices.ContainsFunc(p.Functions, func(fn *program.Function) bool {
		return fn.Code != nil && strings.Contains(fn.Code.Text, "CONTEXT->tokens")
	})
}
