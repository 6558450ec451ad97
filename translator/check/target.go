// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"fmt"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// target lowers a target variable or @operator to the value that elaboration has found.
func (s *scope) target(x syntax.Expr) program.Expr {
	v := s.values[x]
	switch {
	case v == nil:
		return &unavailable{x.Pos(), unresolved(x)}
	case v.Err != nil:
		return &unavailable{x.Pos(), v.Err}
	case v.X == nil:
		return &invalid{x.Pos()}
	}
	if _, isVar := x.(*syntax.TargetVar); isVar && s.c.opts.AsStap {
		if _, isSaved := v.X.(*program.SavedValue); isSaved {
			said := syntax.ExprString(x)
			s.c.warnf(x.Pos(), "in a return probe %s is what it was at the function's entry", said).
				InStap("confusing usage, value is captured as @entry(%s) in .return probe [man stapprobes] RETURN PROBES", said)
		}
	}
	return s.fill(v.X)
}

// targetLvalue lowers a target variable that is assigned to.
func (s *scope) targetLvalue(x syntax.Expr) program.Expr {
	v := s.values[x]
	switch {
	case v == nil || v.Err != nil && v.Store == nil:
		return s.target(x)
	case v.Store == nil:
		why := v.Fixed
		if why == "" {
			why = "it has no place in memory or in a register"
		}
		return &unavailable{x.Pos(), complaint(x.Pos(), "", "this target variable can't be changed: %s", why)}
	case !v.Free && !s.c.opts.Guru && isUser(x.Pos()):
		return &unavailable{x.Pos(), complaint(x.Pos(), "run the script with -g", "target variables may be changed in guru mode only").
			InStap("write to target variable not permitted; need stap -g")}
	}
	return s.fill(v.Store)
}

// isProbed reports whether a target variable is one of the probed code, not one of the probe's own, such
// as procfs's $value.
func (s *scope) isProbed(x *syntax.TargetVar) bool {
	v := s.values[x]
	return v != nil && !v.Free && isUser(x.At)
}

func complaint(pos syntax.Pos, hint, format string, args ...any) *syntax.Diagnostic {
	return &syntax.Diagnostic{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// unresolved is the error for an expression for which elaboration has found no value.
func unresolved(x syntax.Expr) *syntax.Diagnostic {
	switch x := x.(type) {
	case *syntax.AtExpr:
		return complaint(x.At, "", "unknown operator @%s", x.Op)
	case *syntax.TargetVar:
		switch x.Kind {
		case syntax.DollarVar:
			return complaint(x.At, "", "target variable $%s is not available here", x.Name)
		case syntax.AtVar:
			return complaint(x.At, "", "variable @var(%q) is not available here", x.Name)
		case syntax.AtCast:
			return complaint(x.At, "", "@cast to %q is not possible here", x.Name)
		}
	}
	return complaint(x.Pos(), `say it: @cast(pointer, "struct name")->member`, "can't tell what this points to")
}

// maxFill bounds the nesting of target variables in indexes of target variables.
const maxFill = 100

// fill copies a value, and lowers the script's expressions in it.
func (s *scope) fill(x program.Expr) program.Expr {
	if s.fills++; s.fills > maxFill {
		s.fills--
		return &invalid{x.Pos()}
	}
	x = copyExpr(x)
	var replace func(*program.Expr)
	replace = func(x *program.Expr) {
		if op, ok := (*x).(*program.ScriptExpr); ok {
			*x = s.expr(op.X)
			return
		}
		operands(*x, replace)
	}
	replace(&x)
	s.fills--
	return x
}
