// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"strings"

	"gostap/internal/lazyregexp"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// expr lowers x. Its types are not known yet, and may later be found to conflict.
func (s *scope) expr(x syntax.Expr) program.Expr {
	switch x := x.(type) {
	case *syntax.NumberLit:
		return &program.Number{At: x.At, Value: x.Value}
	case *syntax.StringLit:
		return &program.Text{At: x.At, Value: x.Value}
	case *syntax.EmbeddedExpr:
		return s.embedded(x)
	case *syntax.Ident:
		return s.ident(x)
	case *syntax.IndexExpr:
		return s.index(x)
	case *syntax.CallExpr:
		return s.callExpr(x)
	case *syntax.UnaryExpr:
		if x.Op == "+" {
			return binary(x.At, "+", &program.Number{At: x.At}, s.expr(x.X))
		}
		return unary(x.At, x.Op, s.expr(x.X))
	case *syntax.IncDecExpr:
		n := &program.IncDec{At: x.At, X: s.lvalue(x.X, x.Op), Delta: 1, Post: x.Post}
		if x.Op == "--" {
			n.Delta = -1
		}
		return n
	case *syntax.BinaryExpr:
		return s.binary(x)
	case *syntax.MatchExpr:
		if !s.validRegex(x.Regex) {
			return &invalid{x.At}
		}
		return &program.Match{At: x.At, Not: x.Not, X: s.expr(x.X), Regex: x.Regex.Value}
	case *syntax.InExpr:
		return s.in(x)
	case *syntax.CondExpr:
		return s.cond(x)
	case *syntax.AssignExpr:
		return s.assign(x)
	case *syntax.StatOp:
		return s.statOp(x)
	case *syntax.TargetVar, *syntax.AtExpr:
		return s.target(x)
	case *syntax.PrintExpr:
		return s.print(x)
	}
	return &invalid{x.Pos()}
}

// exprs lowers a list; * becomes nil.
func (s *scope) exprs(list []syntax.Expr) []program.Expr {
	if len(list) == 0 {
		return nil
	}
	out := make([]program.Expr, len(list))
	for i, x := range list {
		if x != nil {
			out[i] = s.expr(x)
		}
	}
	return out
}

// ident lowers the value of a variable.
func (s *scope) ident(x *syntax.Ident) program.Expr {
	l, g := s.variable(x)
	if g != nil {
		if !s.setArity(g, 0, x.At) {
			return &invalid{x.At}
		}
		return &program.GlobalRef{At: x.At, Global: g.Global}
	}
	if s.where != "" {
		d := s.c.errorf(x.At, "%s can't use local variables, but %q is one", s.where, x.Name).InStap("probe condition must not reference undeclared global")
		d.Hint = s.c.near(x.Name, s.globalNames())
		return &invalid{x.At}
	}
	return &program.LocalRef{At: x.At, Local: l.Local}
}

// index lowers the value of an array's element or of a histogram's bucket.
func (s *scope) index(x *syntax.IndexExpr) program.Expr {
	if s.values[x] != nil { // an element of an array that a target variable points to
		return s.target(x)
	}
	switch a := x.X.(type) {
	case *syntax.Ident:
		e := s.element(x, a)
		if e == nil {
			return &invalid{x.At}
		}
		if hasStar(e.Keys) {
			s.c.errorf(x.At, "an element's value needs all its keys, but one is *").InStap("wildcard not allowed in array index")
			return &invalid{x.At}
		}
		return e
	case *syntax.StatOp:
		return s.bucket(x.At, a, x.Index, false)
	}
	s.c.errorf(x.At, "only arrays and histograms have an index")
	return &invalid{x.At}
}

// bucket lowers @hist_…(x)[index] or, if exists is set, index in @hist_…(x).
func (s *scope) bucket(at syntax.Pos, op *syntax.StatOp, index []syntax.Expr, exists bool) program.Expr {
	h := s.hist(op)
	if h == nil || len(index) != 1 || index[0] == nil {
		return &invalid{at}
	}
	return &program.Bucket{At: at, X: s.statistic(op.X, "@"+op.Op), Hist: h, Index: s.expr(index[0]), Exists: exists}
}

func (s *scope) in(x *syntax.InExpr) program.Expr {
	if op, ok := x.Array.(*syntax.StatOp); ok {
		return s.bucket(x.At, op, x.Index, true)
	}
	keys := s.exprs(x.Index)
	if g := s.array(x.Array.(*syntax.Ident), len(keys)); g != nil {
		return &program.In{At: x.At, Array: g.Global, Keys: keys}
	}
	return &invalid{x.At}
}

// element lowers array[keys]; keys may be *. The result is nil after an error.
func (s *scope) element(x *syntax.IndexExpr, array *syntax.Ident) *program.Element {
	keys := s.exprs(x.Index)
	g := s.array(array, len(keys))
	if g == nil {
		return nil
	}
	return &program.Element{At: x.At, Array: g.Global, Keys: keys}
}

func hasStar(keys []program.Expr) bool {
	for _, k := range keys {
		if k == nil {
			return true
		}
	}
	return false
}

// cond lowers x ? y : z; if x is a constant, only one of the two is left.
func (s *scope) cond(x *syntax.CondExpr) program.Expr {
	n := &program.Cond{At: x.At, If: s.expr(x.Cond)}
	yes, known := constant(n.If)
	if known && s.decides {
		if yes != 0 {
			return s.expr(x.Then)
		}
		return s.expr(x.Else)
	}
	n.Then, n.Else = s.expr(x.Then), s.expr(x.Else)
	if !known {
		return n
	}
	s.neverExpr(n)
	if yes != 0 {
		return n.Then
	}
	return n.Else
}

func (s *scope) binary(x *syntax.BinaryExpr) program.Expr {
	a := s.expr(x.X)
	if is, known := decided(x.Op, a); known && s.decides {
		return number(x.At, is)
	}
	b := s.expr(x.Y)
	switch x.Op {
	case "<", ">", "<=", ">=", "==", "!=":
		return compare(x.At, x.Op, a, b)
	case "&&", "||":
		if is, known := decided(x.Op, a); known {
			s.neverExpr(logical(x.At, x.Op, a, b))
			return number(x.At, is)
		}
		return logical(x.At, x.Op, a, b)
	case ".":
		return concat(x.At, a, b)
	}
	return binary(x.At, x.Op, a, b)
}

func (s *scope) callExpr(x *syntax.CallExpr) program.Expr {
	args := s.exprs(x.Args)
	g := s.find(x)
	if g == nil {
		return &invalid{x.At}
	}
	s.c.call(g)
	first := g.variants[0]
	if first.Code != nil && first.src.Origin != syntax.User && hasMarker(first.Code, "guru") && !s.c.opts.Guru && isUser(x.At) {
		s.c.errorf(x.At, "function %q may be called in guru mode only", x.Name).Hint = "run the script with -g"
	}
	return &program.Call{At: x.At, Fn: first.Function, Args: args}
}

// assign lowers x op= y.
func (s *scope) assign(x *syntax.AssignExpr) program.Expr {
	if x.Op == "<<<" {
		to := s.statistic(x.X, "<<<")
		if hasStarElement(to) {
			s.c.errorf(x.X.Pos(), "an element needs all its keys to be added to, but one is *").InStap("wildcard not allowed in array index")
			return &invalid{x.At}
		}
		return &program.Aggregate{At: x.At, X: to, Y: s.expr(x.Y)}
	}
	n := &program.Assign{At: x.At, Op: strings.TrimSuffix(x.Op, "="), X: s.lvalue(x.X, x.Op)}
	n.Y = s.expr(x.Y)
	return n
}

// lvalue lowers the expression that op changes.
func (s *scope) lvalue(x syntax.Expr, op string) program.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		ref := s.ident(x)
		if ref, ok := ref.(*program.LocalRef); ok {
			s.byLocal[ref.Local].set = true
		}
		return ref
	case *syntax.IndexExpr:
		if s.values[x] != nil {
			return s.targetLvalue(x)
		}
		e := s.index(x)
		if _, ok := e.(*program.Bucket); ok {
			s.c.errorf(x.At, "a histogram's buckets can't be changed")
			return &invalid{x.At}
		}
		return e
	case *syntax.TargetVar, *syntax.AtExpr:
		if v, ok := x.(*syntax.TargetVar); ok && op != "=" && s.c.opts.AsStap && s.isProbed(v) {
			s.c.errorf(v.At, "%s on a target variable: called as stap, only = is taken", op).
				InStap("Only the following assign operator is implemented on target variables:  =")
			return &invalid{v.At}
		}
		return s.targetLvalue(x)
	}
	s.c.errorf(x.Pos(), "%s changes a variable, an array's element or a target variable, but this is none", op).InStap("Expecting lvalue for assignment")
	return &invalid{x.Pos()}
}

// embedded lowers %{ C %}.
func (s *scope) embedded(x *syntax.EmbeddedExpr) program.Expr {
	n := &program.Embedded{Code: x.Code, Result: program.Long, Pure: hasMarker(x.Code, "pure")}
	if hasMarker(x.Code, "string") {
		n.Result = program.String
	}
	seen := map[string]bool{}
	for _, m := range argMacro().FindAllStringSubmatch(x.Code.Text, -1) {
		if l := s.locals[m[1]]; l != nil && l.param && !seen[m[1]] {
			seen[m[1]] = true
			n.Args = append(n.Args, &program.LocalRef{At: x.Pos(), Local: l.Local})
		}
	}
	s.pragmas(x.Code)
	return n
}

// argMacro matches embedded C's access to a parameter.
var argMacro = lazyregexp.MustCompile(`\bSTAP_ARG_(\w+)`)

// hasMarker reports whether embedded C holds the comment /* marker */.
func hasMarker(code *syntax.EmbeddedC, marker string) bool {
	return strings.Contains(code.Text, "/* "+marker+" */")
}

// pragmas records which globals embedded C reads and writes, by its pragmas.
func (s *scope) pragmas(code *syntax.EmbeddedC) {
	if s.c.embeddedUses[code] != nil {
		return
	}
	for _, what := range []string{"read", "write"} {
		rest := code.Text
		for {
			var ok bool
			if _, rest, ok = strings.Cut(rest, "/* pragma:"+what+":"); !ok {
				break
			}
			name, _, _ := strings.Cut(rest, " ")
			g := s.global(name)
			if g == nil {
				d := s.c.errorf(code.At, "embedded C wants to %s %q, which is no global", what, name)
				d.Hint = s.c.near(name, s.globalNames())
				continue
			}
			s.c.embeddedUses[code] = append(s.c.embeddedUses[code], embeddedUse{g, what == "write"})
		}
	}
}

// An embeddedUse is a global that embedded C uses.
type embeddedUse struct {
	g     *global
	write bool
}
