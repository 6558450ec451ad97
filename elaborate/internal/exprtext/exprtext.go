// SPDX-License-Identifier: GPL-2.0-or-later

// Package exprtext spells expressions of programs for tests.
package exprtext

import (
	"fmt"
	"strconv"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Spell spells an expression: u4[x] and s4[x] are loads, u4(x) and s4(x) casts.
func Spell(x program.Expr) string {
	sign := map[bool]string{false: "u", true: "s"}
	switch x := x.(type) {
	case *program.Number:
		return fmt.Sprint(x.Value)
	case *program.Text:
		return strconv.Quote(x.Value)
	case *program.Binary:
		return "(" + Spell(x.X) + " " + x.Op + " " + Spell(x.Y) + ")"
	case *program.Deref:
		user := ""
		if x.User {
			user = "user "
		}
		return fmt.Sprintf("%s%d[%s%s]", sign[x.Signed], x.Size, user, Spell(x.Addr))
	case *program.Cast:
		return fmt.Sprintf("%s%d(%s)", sign[x.Signed], x.Size, Spell(x.X))
	case *program.Argument:
		return fmt.Sprintf("arg%d", x.Index)
	case *program.SymbolAddr:
		if x.Image.Module != "" {
			return "&" + x.Image.Module + ":" + x.Symbol
		}
		return "&" + x.Symbol
	case *program.Register:
		return fmt.Sprintf("reg%d", x.Number)
	case *program.ProbedAddr:
		return "probed"
	case *program.ThreadPointer:
		return "thread"
	case *program.LoadBias:
		return "bias:" + x.Image.Path
	case *program.PerfCount:
		return fmt.Sprintf("perf(%q)", x.Counter)
	case *program.SyscallNumber:
		return "nr"
	case *program.ReturnValue:
		return "ret"
	case *program.SavedValue:
		return fmt.Sprintf("saved%d", x.Index)
	case *program.ScriptExpr:
		return "{" + syntax.ExprString(x.X) + "}"
	case *program.Print:
		s := fmt.Sprintf("sprintf(%q", x.Format)
		for _, arg := range x.Args {
			s += ", " + Spell(arg)
		}
		s += ")"
		if x.Else != "" {
			s += fmt.Sprintf(" or %q", x.Else)
		}
		return s
	}
	return fmt.Sprintf("%T", x)
}
