// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"math"
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// constant returns x's value if it is a constant number.
func constant(x program.Expr) (int64, bool) {
	n, ok := x.(*program.Number)
	if !ok {
		return 0, false
	}
	return n.Value, true
}

func number(at syntax.Pos, b bool) *program.Number {
	if b {
		return &program.Number{At: at, Value: 1}
	}
	return &program.Number{At: at}
}

// unary makes Op x.
func unary(at syntax.Pos, op string, x program.Expr) program.Expr {
	n, ok := constant(x)
	if !ok {
		return &program.Unary{At: at, Op: op, X: x}
	}
	switch op {
	case "-":
		n = -n
	case "~":
		n = ^n
	case "!":
		return number(at, n == 0)
	}
	return &program.Number{At: at, Value: n}
}

// binary makes x op y for two longs. Operations that raise an error at run time, or that the runtime
// defines, are not folded: division by 0, the smallest number divided by -1, shifts beyond the width.
func binary(at syntax.Pos, op string, x, y program.Expr) program.Expr {
	m, ok := constant(x)
	n, ok2 := constant(y)
	left := &program.Binary{At: at, Op: op, X: x, Y: y}
	if !ok || !ok2 {
		return left
	}
	switch op {
	case "*":
		m *= n
	case "+":
		m += n
	case "-":
		m -= n
	case "/", "%":
		if n == 0 || m == math.MinInt64 && n == -1 {
			return left
		}
		if op == "/" {
			m /= n
		} else {
			m %= n
		}
	case "<<", ">>", ">>>":
		if n < 0 || n > 63 {
			return left
		}
		switch op {
		case "<<":
			m <<= n
		case ">>":
			m >>= n
		default:
			m = int64(uint64(m) >> n)
		}
	case "&":
		m &= n
	case "|":
		m |= n
	case "^":
		m ^= n
	default:
		return left
	}
	return &program.Number{At: at, Value: m}
}

// compare makes x op y.
func compare(at syntax.Pos, op string, x, y program.Expr) program.Expr {
	var order int
	a, ok := x.(*program.Text)
	b, ok2 := y.(*program.Text)
	m, ok3 := constant(x)
	n, ok4 := constant(y)
	switch {
	case ok && ok2:
		order = strings.Compare(a.Value, b.Value)
	case ok3 && ok4 && m < n:
		order = -1
	case ok3 && ok4 && m > n:
		order = 1
	case ok3 && ok4:
	default:
		return &program.Compare{At: at, Op: op, X: x, Y: y}
	}
	switch op {
	case "<":
		return number(at, order < 0)
	case ">":
		return number(at, order > 0)
	case "<=":
		return number(at, order <= 0)
	case ">=":
		return number(at, order >= 0)
	case "==":
		return number(at, order == 0)
	}
	return number(at, order != 0)
}

// decided returns the value of x && y or x || y if x alone determines it.
func decided(op string, x program.Expr) (is, known bool) {
	n, ok := constant(x)
	return n != 0, ok && (op == "&&" && n == 0 || op == "||" && n != 0)
}

// logical makes x && y or x || y; if x is a constant that does not determine the result, only y is
// left.
func logical(at syntax.Pos, op string, x, y program.Expr) program.Expr {
	if _, known := decided(op, x); isNumber(x) && !known {
		return compare(at, "!=", y, &program.Number{At: at})
	}
	return &program.Logical{At: at, Op: op, X: x, Y: y}
}

// concat makes x . y.
func concat(at syntax.Pos, x, y program.Expr) program.Expr {
	if a, ok := x.(*program.Text); ok {
		if b, ok := y.(*program.Text); ok && len(a.Value)+len(b.Value) < maxText {
			return &program.Text{At: at, Value: a.Value + b.Value}
		}
	}
	return &program.Concat{At: at, X: x, Y: y}
}

// maxText bounds the length of folded strings, in bytes: shorter than any limit at which the runtime
// may truncate strings.
const maxText = 64

func isText(x program.Expr) bool {
	_, ok := x.(*program.Text)
	return ok
}

func isNumber(x program.Expr) bool {
	_, ok := x.(*program.Number)
	return ok
}
