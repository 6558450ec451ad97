// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// Inspect calls visit for n and, if that returns true, for the statements and expressions in it, in the
// order of the source.
func Inspect(n Node, visit func(Node) bool) {
	w := walker(visit)
	switch n := n.(type) {
	case Stmt:
		w.stmt(n)
	case Expr:
		w.expr(n)
	}
}

type walker func(Node) bool

func (w walker) stmt(s Stmt) {
	if s == nil || !w(s) {
		return
	}
	switch s := s.(type) {
	case *Block:
		for _, s := range s.Stmts {
			w.stmt(s)
		}
	case *ExprStmt:
		w.expr(s.X)
	case *IfStmt:
		w.expr(s.Cond)
		w.stmt(s.Then)
		w.stmt(s.Else)
	case *ForStmt:
		w.expr(s.Init)
		w.expr(s.Cond)
		w.expr(s.Post)
		w.stmt(s.Body)
	case *ForeachStmt:
		if s.Value != nil {
			w.expr(s.Value)
		}
		for _, k := range s.Keys {
			w.expr(k)
		}
		w.expr(s.Array)
		w.exprs(s.Slice)
		w.expr(s.Limit)
		w.stmt(s.Body)
	case *ReturnStmt:
		w.expr(s.X)
	case *DeleteStmt:
		w.expr(s.X)
	case *TryStmt:
		w.stmt(s.Body)
		if s.Msg != nil {
			w.expr(s.Msg)
		}
		w.stmt(s.Catch)
	}
}

func (w walker) exprs(xs []Expr) {
	for _, x := range xs {
		w.expr(x)
	}
}

func (w walker) expr(x Expr) {
	if x == nil || !w(x) {
		return
	}
	switch x := x.(type) {
	case *IndexExpr:
		w.expr(x.X)
		w.exprs(x.Index)
	case *CallExpr:
		w.exprs(x.Args)
	case *UnaryExpr:
		w.expr(x.X)
	case *IncDecExpr:
		w.expr(x.X)
	case *BinaryExpr:
		w.expr(x.X)
		w.expr(x.Y)
	case *MatchExpr:
		w.expr(x.X)
	case *InExpr:
		w.exprs(x.Index)
		w.expr(x.Array)
	case *CondExpr:
		w.expr(x.Cond)
		w.expr(x.Then)
		w.expr(x.Else)
	case *AssignExpr:
		w.expr(x.X)
		w.expr(x.Y)
	case *StatOp:
		w.expr(x.X)
	case *TargetVar:
		w.expr(x.X)
		for _, a := range x.Access {
			w.expr(a.Index)
		}
	case *AtExpr:
		w.exprs(x.Args)
	case *PrintExpr:
		w.exprs(x.Args)
	}
}
