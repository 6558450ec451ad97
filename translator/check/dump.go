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

// Dump writes p as -p2 prints it: globals, functions and probes with the types of their variables; and
// with bodies, their code.
//
//	# globals
//	reads[100]:stats [string]
//	# functions
//	ratio:long (a:long, b:long)
//	# probes
//	kernel.function("vfs_read") /* <- vfs.read */
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
	d.printf("%s", g.Name)
	if g.Wrap {
		d.w.WriteString("%")
	}
	if g.MaxSize > 0 {
		fmt.Fprintf(d.w, "[%d]", g.MaxSize)
	}
	fmt.Fprintf(d.w, ":%s", g.Type)
	if g.Keys != nil {
		keys := make([]string, len(g.Keys))
		for i, k := range g.Keys {
			keys[i] = k.String()
		}
		fmt.Fprintf(d.w, " [%s]", strings.Join(keys, ", "))
	}
	if g.Init != nil && d.bodies {
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
	name, result := f.Script, f.Result.String()
	if d.bodies {
		name = f.Name // differs between overloads
	}
	if f.Result == program.Void {
		result = "unknown" // SystemTap's word
	}
	d.printf("%s:%s (%s)", name, result, strings.Join(params, ", "))
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
		cond := ""
		if p.Cond != nil {
			cond = fmt.Sprintf(" if (%s)", exprText(p.Cond))
		}
		d.printf("%s%s /* <- %s%[2]s */%[4]s\n", at.Name, cond, p.Name, d.how(at))
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

// how says, with bodies, by what the returns of a program's function are probed.
func (d *dumper) how(at *program.Point) string {
	switch {
	case !d.bodies || at.Family != "uretprobe":
		return ""
	case at.Returns == nil:
		return " /* by the kernel's uretprobe */"
	}
	return fmt.Sprintf(" /* ret instructions: %d */", len(at.Returns))
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

// nested writes s, indented, as the body of the statement before it.
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

// order writes a loop's sort order and limit.
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
