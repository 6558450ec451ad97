// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"fmt"
	"strconv"
	"strings"

	"gostap/translator/program"
)

func localText(l *program.Local) string {
	if l == nil {
		return "_"
	}
	return l.Name
}

func histText(h *program.Hist, x string) string {
	if !h.Linear {
		return "@hist_log(" + x + ")"
	}
	if x != "" {
		x += ", "
	}
	return fmt.Sprintf("@hist_linear(%s%d, %d, %d)", x, h.Low, h.High, h.Interval)
}

func listText(list []program.Expr) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = "*"
		if x != nil {
			texts[i] = exprText(x)
		}
	}
	return strings.Join(texts, ", ")
}

// exprText writes x in the script's language where it has a syntax for x.
func exprText(x program.Expr) string {
	var b strings.Builder
	writeExpr(&b, x)
	return b.String()
}

func writeExpr(b *strings.Builder, x program.Expr) {
	// put writes strings as they are, and expressions as text.
	put := func(parts ...any) {
		for _, p := range parts {
			switch p := p.(type) {
			case program.Expr:
				writeExpr(b, p)
			default:
				fmt.Fprint(b, p)
			}
		}
	}
	list := func(open string, xs []program.Expr, end string) { put(open, listText(xs), end) }
	switch x := x.(type) {
	case nil:
	case *program.Number:
		put(strconv.FormatInt(x.Value, 10))
	case *program.Text:
		put(strconv.Quote(x.Value))
	case *program.LocalRef:
		put(x.Local.Name)
	case *program.GlobalRef:
		put(x.Global.Name)
	case *program.Element:
		list(x.Array.Name+"[", x.Keys, "]")
	case *program.Call:
		list(x.Fn.Name+"(", x.Args, ")")
	case *program.Unary:
		put(x.Op, x.X)
	case *program.Binary:
		put("(", x.X, " "+x.Op+" ", x.Y, ")")
	case *program.Compare:
		put("(", x.X, " "+x.Op+" ", x.Y, ")")
	case *program.Logical:
		put("(", x.X, " "+x.Op+" ", x.Y, ")")
	case *program.Concat:
		put("(", x.X, " . ", x.Y, ")")
	case *program.Cond:
		put("(", x.If, " ? ", x.Then, " : ", x.Else, ")")
	case *program.Assign:
		put("(", x.X, " "+x.Op+"= ", x.Y, ")")
	case *program.IncDec:
		op := map[int64]string{1: "++", -1: "--"}[x.Delta]
		if x.Post {
			put(x.X, op)
		} else {
			put(op, x.X)
		}
	case *program.Aggregate:
		put("(", x.X, " <<< ", x.Y, ")")
	case *program.StatRead:
		put("@"+x.Op+"(", x.X, ")")
	case *program.StatCursor:
		put(x.Cursor.Name)
	case *program.Bucket:
		if x.Exists {
			put("(", x.Index, " in ", histText(x.Hist, exprText(x.X)), ")")
		} else {
			put(histText(x.Hist, exprText(x.X)), "[", x.Index, "]")
		}
	case *program.In:
		list("([", x.Keys, "] in "+x.Array.Name+")")
	case *program.Match:
		put("(", x.X, map[bool]string{false: " =~ ", true: " !~ "}[x.Not], strconv.Quote(x.Regex))
		if x.Keep {
			put(" kept")
		}
		put(")")
	case *program.Print:
		name := "printf("
		if x.Sprint {
			name = "sprintf("
		}
		put(name, strconv.Quote(x.Format))
		for _, arg := range x.Args {
			put(", ", arg)
		}
		put(")")
		if x.Else != "" {
			put(" or ", strconv.Quote(x.Else))
		}
	case *program.PrintHist:
		name := "print"
		if x.Sprint {
			name = "sprint"
		}
		if x.Newline {
			name += "ln"
		}
		put(name+"(", histText(x.Hist, exprText(x.X)), ")")
	case *program.Embedded:
		put("%{", x.Code.Text, "%}")
	case *program.Argument:
		put("argument ", x.Index)
	case *program.ReturnValue:
		put("return value")
	case *program.Register:
		put("register ", x.Number)
	case *program.SavedValue:
		put("saved ", x.Index)
	case *program.SymbolAddr:
		put("&", x.Image.Module, ":", x.Symbol)
	case *program.ProbedAddr:
		put("probed address")
	case *program.ThreadPointer:
		put("thread pointer")
	case *program.LoadBias:
		put("load bias of ", x.Image.Path)
	case *program.PerfCount:
		put("perf counter ", x.Counter)
	case *program.SyscallNumber:
		put("syscall number")
	case *program.FileValue:
		put("$value")
	case *program.Deref:
		put(loadName(x), "(", x.Addr, ")")
	case *program.Cast:
		put(map[bool]string{true: "s", false: "u"}[x.Signed], 8*x.Size, "(", x.X, ")")
	default:
		fmt.Fprintf(b, "%T", x)
	}
}

// loadName is a load's name: kernel or user memory, sign, width.
func loadName(x *program.Deref) string {
	space, sign := "k", "u"
	if x.User {
		space = "u"
	}
	if x.Signed {
		sign = "s"
	}
	return fmt.Sprintf("%s_%s%d", space, sign, 8*x.Size)
}
