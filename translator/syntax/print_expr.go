// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"strconv"
	"strings"
)

// Precedences outside of those of the binary operators (parse_expr.go).
const (
	precAssign  = -1
	precTernary = 0
	precOperand = precUnary + 1
)

var binaryPrec = func() map[string]int {
	m := map[string]int{}
	for k, prec := range precedence {
		if prec != 0 {
			m[kindText[k]] = int(prec)
		}
	}
	return m
}()

// precOf returns the precedence of x's outermost operator.
func precOf(x Expr) int {
	switch x := x.(type) {
	case *AssignExpr:
		return precAssign
	case *CondExpr:
		return precTernary
	case *InExpr:
		return precIn
	case *MatchExpr:
		return precCompare
	case *BinaryExpr:
		return binaryPrec[x.Op]
	case *UnaryExpr, *IncDecExpr:
		return precUnary
	}
	return precOperand
}

// expr writes x, in parentheses if its precedence is below prec.
func (p *printer) expr(x Expr, prec int) {
	if precOf(x) < prec {
		p.write("(")
		p.expr(x, precAssign)
		p.write(")")
		return
	}
	switch x := x.(type) {
	case *NumberLit:
		p.write(strconv.FormatUint(uint64(x.Value), 10))
	case *StringLit:
		p.write(quote(x.Value))
	case *EmbeddedExpr:
		p.embedded(x.Code)
	case *Ident:
		p.write(x.Name)
	case *IndexExpr:
		p.expr(x.X, precOperand)
		p.index(x.Index)
	case *CallExpr:
		p.write(x.Name)
		p.args(x.Args)
	case *UnaryExpr:
		p.write(x.Op)
		p.expr(x.X, precOperand)
	case *IncDecExpr:
		p.incDec(x)
	case *BinaryExpr:
		prec := binaryPrec[x.Op]
		p.left(x.X, prec)
		p.write(" ", x.Op, " ")
		p.expr(x.Y, prec+1)
	case *MatchExpr:
		p.left(x.X, precCompare+1)
		if x.Not {
			p.write(" !~ ")
		} else {
			p.write(" =~ ")
		}
		p.write(quote(x.Regex.Value))
	case *InExpr:
		p.in(x)
	case *CondExpr:
		p.expr(x.Cond, precOrOr)
		p.write(" ? ")
		p.expr(x.Then, precAssign)
		p.write(" : ")
		p.expr(x.Else, precTernary)
	case *AssignExpr:
		p.expr(x.X, precOrOr)
		p.write(" ", x.Op, " ")
		p.expr(x.Y, precAssign)
	case *StatOp:
		p.statOp(x)
	case *TargetVar:
		p.target(x)
	case *AtExpr:
		p.write("@", x.Op)
		p.args(x.Args)
	case *PrintExpr:
		p.print(x)
	}
}

// left writes the left operand of an operator. Regular expression matches are written in parentheses
// there, as SystemTap requires them.
func (p *printer) left(x Expr, prec int) {
	if _, ok := x.(*MatchExpr); ok {
		prec = precOperand
	}
	p.expr(x, prec)
}

func (p *printer) list(list []Expr) {
	for i, x := range list {
		if i > 0 {
			p.write(", ")
		}
		if x == nil {
			p.write("*")
		} else {
			p.expr(x, precAssign)
		}
	}
}

func (p *printer) index(list []Expr) {
	p.write("[")
	p.list(list)
	p.write("]")
}

func (p *printer) args(list []Expr) {
	p.write("(")
	p.list(list)
	p.write(")")
}

func (p *printer) incDec(x *IncDecExpr) {
	if x.Post {
		p.expr(x.X, precOperand)
		p.write(x.Op)
		return
	}
	p.write(x.Op)
	p.expr(x.X, precOperand)
}

func (p *printer) in(x *InExpr) {
	if len(x.Index) == 1 && x.Index[0] != nil {
		p.expr(x.Index[0], precCompare)
	} else {
		p.index(x.Index)
	}
	p.write(" in ")
	p.expr(x.Array, precOperand)
}

func (p *printer) statOp(x *StatOp) {
	p.write("@", x.Op, "(")
	p.expr(x.X, precAssign)
	for _, n := range x.Params {
		p.write(", ", strconv.FormatInt(n, 10))
	}
	p.write(")")
}

func (p *printer) target(x *TargetVar) {
	if x.Addr {
		p.write("&")
	}
	switch x.Kind {
	case DollarVar:
		p.write("$", x.Name)
	case AtVar:
		p.write("@var(", quote(x.Name))
		p.module(x.Module)
	case AtCast:
		p.write("@cast(")
		p.expr(x.X, precAssign)
		p.write(", ", quote(x.Name))
		p.module(x.Module)
	case AutoCast:
		p.write("(")
		p.expr(x.X, precAssign)
		p.write(")")
	}
	for _, a := range x.Access {
		if a.Index == nil {
			p.write("->", a.Member)
			continue
		}
		p.write("[")
		p.expr(a.Index, precAssign)
		p.write("]")
	}
	if x.Kind == AutoCast && len(x.Access) == 0 && x.Pretty > 0 {
		p.write("->") // (x)$ would be parsed as two expressions
	}
	p.write(strings.Repeat("$", x.Pretty))
}

// module writes the last argument of @var and @cast.
func (p *printer) module(name string) {
	if name != "" {
		p.write(", ", quote(name))
	}
	p.write(")")
}

func (p *printer) print(x *PrintExpr) {
	p.write(x.Name, "(")
	literal := ""
	switch strings.TrimPrefix(x.Name, "s") {
	case "printf":
		literal = quote(x.Format)
	case "printd", "printdln":
		literal = quote(x.Delim)
	}
	p.write(literal)
	if literal != "" && len(x.Args) > 0 {
		p.write(", ")
	}
	p.list(x.Args)
	p.write(")")
}
