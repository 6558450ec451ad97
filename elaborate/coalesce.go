// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// walk calls visit for x and all expressions in it. It handles the types of expressions that
// values consist of.
func walk(x program.Expr, visit func(program.Expr)) {
	if x == nil {
		return
	}
	visit(x)
	switch x := x.(type) {
	case *program.Binary:
		walk(x.X, visit)
		walk(x.Y, visit)
	case *program.Compare:
		walk(x.X, visit)
		walk(x.Y, visit)
	case *program.Deref:
		walk(x.Addr, visit)
	case *program.Cast:
		walk(x.X, visit)
	case *program.Cond:
		walk(x.If, visit)
		walk(x.Then, visit)
		walk(x.Else, visit)
	case *program.Print:
		for _, arg := range x.Args {
			walk(arg, visit)
		}
	}
}

// summarize returns a text that is the same for probes that run the same code.
func summarize(p *program.ElaboratedProbe) string {
	var b strings.Builder
	autocast := slices.ContainsFunc(p.Bodies, func(body *syntax.Block) bool { return hasAutocast(body) })
	for _, body := range p.Bodies {
		fmt.Fprintf(&b, "%p", body)
		syntax.Inspect(body, func(n syntax.Node) bool {
			x, ok := n.(syntax.Expr)
			if !ok {
				return true
			}
			if v := p.Values[x]; v != nil {
				b.WriteByte(';')
				if v.Err != nil {
					b.WriteByte('!') // the reason does not matter: there is no value
				} else {
					write(&b, p, v.X)
				}
				if autocast && v.Points != nil {
					b.WriteString(" to " + v.Points.String())
				}
			}
			return true
		})
	}
	for _, cond := range p.Conds {
		fmt.Fprintf(&b, ";if %p", cond)
	}
	for _, x := range p.Saved {
		b.WriteString(";saved ")
		write(&b, p, x)
	}
	return b.String()
}

// write spells one expression, positions left out.
func write(b *strings.Builder, p *program.ElaboratedProbe, x program.Expr) {
	walk(x, func(x program.Expr) {
		switch x := x.(type) {
		case *program.Number:
			fmt.Fprintf(b, " %d", x.Value)
		case *program.Text:
			fmt.Fprintf(b, " %q", x.Value)
		case *program.Binary:
			b.WriteString(" " + x.Op)
		case *program.Compare:
			b.WriteString(" " + x.Op)
		case *program.SymbolAddr:
			fmt.Fprintf(b, " &%s:%s", x.Image.Module, x.Symbol)
		case *program.Deref:
			fmt.Fprintf(b, " *%d,%t,%t", x.Size, x.Signed, x.User)
		case *program.Cast:
			fmt.Fprintf(b, " (%d,%t)", x.Size, x.Signed)
		case *program.Argument:
			fmt.Fprintf(b, " arg%d", x.Index)
		case *program.Register:
			fmt.Fprintf(b, " reg%d", x.Number)
		case *program.LoadBias:
			fmt.Fprintf(b, " bias %s", x.Image.Path)
		case *program.ProbedAddr:
			b.WriteString(" probed")
		case *program.PerfCount:
			fmt.Fprintf(b, " perf %q", x.Counter)
		case *program.ReturnValue:
			b.WriteString(" ret")
		case *program.SavedValue:
			fmt.Fprintf(b, " saved%d", x.Index)
		case *program.Print:
			fmt.Fprintf(b, " %q %q", x.Format, x.Else)
		case *program.ScriptExpr:
			// Synthesized calls are different nodes, even of the same function.
			call, ok := x.X.(*syntax.CallExpr)
			if !ok || len(call.Args) != 2 || p.Values[call.Args[0]] == nil {
				fmt.Fprintf(b, " %p", x.X)
				return
			}
			b.WriteString(" " + call.Name)
			write(b, p, p.Values[call.Args[0]].X)
			b.WriteString(syntax.ExprString(call.Args[1]))
		default:
			fmt.Fprintf(b, " %T", x)
		}
	})
}

// needsRegisters reports whether any value needs other registers than those of
// arguments and the result.
func needsRegisters(p *program.ElaboratedProbe) bool {
	needs := false
	look := func(x program.Expr) {
		switch x.(type) {
		case *program.Register, *program.SyscallNumber:
			needs = true
		}
	}
	for _, v := range p.Values {
		walk(v.X, look)
	}
	for _, x := range p.Saved {
		walk(x, look)
	}
	return needs
}
