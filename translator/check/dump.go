// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gostap/translator/program"
)

// Dump writes what p consists of, as -p2 shows it: globals, functions and
// probes with the types of their variables; and with bodies, their code.
//
//	# globals
//	reads:stats [string]
//	# functions
//	ratio:long (a:long, b:long)
//	# probes
//	kernel.function("vfs_read")
//	  # locals
//	  name:string
func Dump(w io.Writer, p *program.Program, bodies bool) error {
	d := &dumper{w: bufio.NewWriter(w), bodies: bodies}
	d.title("globals", len(p.Globals))
	for _, g := range p.Globals {
		d.global(g)
	}
	d.title("functions", len(p.Functions))
	for _, f := range p.Functions {
		d.function(f)
	}
	d.title("probes", len(p.Probes))
	for _, pr := range p.Probes {
		d.probe(pr)
	}
	return d.w.Flush()
}

type dumper struct {
	w      *bufio.Writer
	bodies bool
	indent int
}

func (d *dumper) printf(format string, args ...any) {
	d.w.WriteString(strings.Repeat("  ", d.indent))
	fmt.Fprintf(d.w, format, args...)
}

func (d *dumper) title(what string, n int) {
	if n > 0 {
		d.printf("# %s\n", what)
	}
}

func (d *dumper) global(g *program.Global) {
	d.printf("%s:%s", g.Name, g.Type)
	if g.Keys != nil {
		keys := make([]string, len(g.Keys))
		for i, k := range g.Keys {
			keys[i] = k.String()
		}
		fmt.Fprintf(d.w, " [%s]", strings.Join(keys, ", "))
	}
	if g.MaxSize > 0 {
		fmt.Fprintf(d.w, " max %d", g.MaxSize)
	}
	if g.Wrap {
		d.w.WriteString(" wrap")
	}
	if g.Init != nil {
		fmt.Fprintf(d.w, " = %s", exprText(g.Init))
	}
	if s := g.Stat; s != nil && d.bodies {
		d.w.WriteString(" count sum")
		for _, f := range []struct {
			kept bool
			name string
		}{{s.Min, "min"}, {s.Max, "max"}, {s.Variance, fmt.Sprintf("variance(%d)", s.BitShift)}} {
			if f.kept {
				d.w.WriteString(" " + f.name)
			}
		}
		for _, h := range s.Hists {
			d.w.WriteString(" " + histText(h, ""))
		}
	}
	d.w.WriteByte('\n')
}

func (d *dumper) locals(list []*program.Local) {
	d.indent++
	d.title("locals", len(list))
	for _, l := range list {
		d.printf("%s:%s\n", l.Name, l.Type)
	}
	d.indent--
}

func (d *dumper) function(f *program.Function) {
	params := make([]string, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Name + ":" + p.Type.String()
	}
	d.printf("%s:%s (%s)", f.Name, f.Result, strings.Join(params, ", "))
	if d.bodies {
		if f.Pure {
			d.w.WriteString(" pure")
		}
		if f.Builtin {
			d.w.WriteString(" builtin")
		}
		if f.Next != nil {
			d.w.WriteString(" next " + f.Next.Name)
		}
	}
	d.w.WriteByte('\n')
	d.locals(f.Locals)
	if f.Code != nil {
		if d.bodies && !f.Builtin {
			d.printf("%%{%s%%}\n", f.Code.Text)
		}
		return
	}
	d.body(f.Body)
}

func (d *dumper) probe(p *program.Probe) {
	for _, at := range p.Points {
		d.printf("%s", at.Name)
		if at.Name != p.Name {
			fmt.Fprintf(d.w, " /* <- %s */", p.Name)
		}
		if p.Cond != nil {
			fmt.Fprintf(d.w, " if (%s)", exprText(p.Cond))
		}
		d.w.WriteByte('\n')
	}
	d.indent++
	d.title("at entry", len(p.Saved))
	for i, x := range p.Saved {
		d.printf("saved %d = %s\n", i, exprText(x))
	}
	d.indent--
	d.locals(p.Locals)
	d.body(p.Body)
}

func (d *dumper) body(list []program.Stmt) {
	if !d.bodies {
		return
	}
	d.printf("{\n")
	d.stmts(list)
	d.printf("}\n")
}

func (d *dumper) stmts(list []program.Stmt) {
	d.indent++
	for _, s := range list {
		d.stmt(s)
	}
	d.indent--
}

// nested writes s as the body of what was just begun.
func (d *dumper) nested(s program.Stmt) {
	d.w.WriteString(" {\n")
	list := []program.Stmt{s}
	if b, ok := s.(*program.Block); ok {
		list = b.Stmts
	}
	d.stmts(list)
	d.printf("}")
}

func (d *dumper) stmt(s program.Stmt) {
	switch s := s.(type) {
	case *program.Eval:
		d.printf("%s\n", exprText(s.X))
	case *program.Block:
		d.printf("{\n")
		d.stmts(s.Stmts)
		d.printf("}\n")
	case *program.If:
		d.printf("if (%s)", exprText(s.Cond))
		d.nested(s.Then)
		if s.Else != nil {
			d.w.WriteString(" else")
			d.nested(s.Else)
		}
		d.w.WriteByte('\n')
	case *program.For:
		d.printf("for (%s; %s; %s)", exprText(s.Init), exprText(s.Cond), exprText(s.Post))
		d.nested(s.Body)
		d.w.WriteByte('\n')
	case *program.Foreach:
		d.foreach(s)
	case *program.ForeachBucket:
		d.printf("foreach (%s = [%s] in %s%s)", localText(s.Value), localText(s.Key), histText(s.Hist, exprText(s.X)), d.order(s.SortDir, s.SortKey, "", s.Limit))
		d.nested(s.Body)
		d.w.WriteByte('\n')
	case *program.Break:
		d.printf("break\n")
	case *program.Continue:
		d.printf("continue\n")
	case *program.Next:
		d.printf("next\n")
	case *program.Return:
		d.printf("%s\n", strings.TrimSpace("return "+exprText(s.X)))
	case *program.Delete:
		d.printf("delete %s\n", exprText(s.X))
	case *program.Try:
		d.printf("try")
		d.nested(s.Body)
		d.w.WriteString(" catch")
		if s.Msg != nil {
			fmt.Fprintf(d.w, " (%s)", exprText(s.Msg))
		}
		d.nested(s.Catch)
		d.w.WriteByte('\n')
	}
}

func (d *dumper) foreach(s *program.Foreach) {
	keys := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		keys[i] = k.Name
	}
	value := localText(s.Value)
	if s.Cursor != nil {
		value = "cursor " + s.Cursor.Name
	}
	slice := ""
	if s.Slice != nil {
		slice = "[" + listText(s.Slice) + "]"
	}
	d.printf("foreach (%s = [%s] in %s%s%s)", value, strings.Join(keys, ", "), s.Array.Name, slice, d.order(s.SortDir, s.SortKey, s.SortOp, s.Limit))
	d.nested(s.Body)
	d.w.WriteByte('\n')
}

// order writes how a loop is sorted and limited.
func (d *dumper) order(dir, key int, op string, limit program.Expr) string {
	text := ""
	if dir != 0 {
		text = " by value"
		if op != "" {
			text = " by @" + op
		}
		if key > 0 {
			text = " by key " + strconv.Itoa(key)
		}
		text += map[bool]string{true: " ascending", false: " descending"}[dir > 0]
	}
	if limit != nil {
		text += " limit " + exprText(limit)
	}
	return text
}

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

// exprText writes x in the script's language, as far as that has words for it.
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
		put(histText(x.Hist, exprText(x.X)), "[", x.Index, "]")
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
	case *program.PrintHist:
		put("print(", histText(x.Hist, exprText(x.X)), ")")
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
		put("&", x.Module, ":", x.Symbol)
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
