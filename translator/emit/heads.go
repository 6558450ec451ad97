// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// Handlers that are the same C but for their tails, and for the constants that they begin with, such as `name`, are one
// function, a head. What tells them apart is a row of a table, which their points lead to.

// A head is what several handlers are.
type head struct {
	name string // of the C function
	rows []string
}

// A row is what a head has to know of one handler.
type row struct {
	types  []string // of its fields
	values []string // how C initializes them
}

func (r *row) add(typ, value string) (field string) {
	field = fmt.Sprintf("v%d", len(r.values))
	r.types = append(r.types, fmt.Sprintf(typ, field))
	r.values = append(r.values, value)
	return field
}

// givesConstant returns the local that s gives a constant to, and that; nil if s does something else.
func givesConstant(s program.Stmt) (*program.Local, program.Expr) {
	eval, ok := s.(*program.Eval)
	if !ok {
		return nil, nil
	}
	assign, ok := eval.X.(*program.Assign)
	if !ok || assign.Op != "" {
		return nil, nil
	}
	ref, ok := assign.X.(*program.LocalRef)
	if !ok {
		return nil, nil
	}
	switch assign.Y.(type) {
	case *program.Text, *program.Number:
		return ref.Local, assign.Y
	}
	return nil, nil
}

// fromRow writes s if that gives a constant to a local.
func (b *body) fromRow(s program.Stmt) bool {
	l, x := givesConstant(s)
	if l == nil {
		return false
	}
	field := ""
	switch x := x.(type) {
	case *program.Text:
		text := b.g.cut(x.Value)
		field = b.row.add("struct gs_str %s", fmt.Sprintf("{ %s, %d }", cString(text), len(text)))
	case *program.Number:
		field = b.row.add("gs_s64 %s", number(x.Value))
	}
	b.line("%s = row->%s;", b.local(l).name, field)
	return true
}

// splitHead has a handler whose C, written from start on, begins a head be that.
func (g *gen) splitHead(h *handler, b *body, start int) {
	if b.row == nil || b.tail == nil {
		return
	}
	r := b.row
	text := string(g.bodies.Bytes()[start:])
	if g.heads[h.probe].told {
		field := r.add("void (*%s)("+paramTypes(b.tail.fn)+")", b.tail.name)
		text = strings.ReplaceAll(text, "\t"+b.tail.name+"(", "\trow->"+field+"(")
	}
	g.bodies.Truncate(start)
	text = strings.ReplaceAll(text, b.f.name, "@")
	hd := g.headed[text]
	if hd == nil {
		hd = &head{name: fmt.Sprintf("head_%d", len(g.headed))}
		g.headed[text] = hd
		g.headList = append(g.headList, hd)
		g.protos.line("struct row_%s { %s; };", hd.name, strings.Join(r.types, "; "))
		text = strings.ReplaceAll(text, "@", hd.name)
		g.bodies.WriteString(strings.Replace(text, "\n{\n", fmt.Sprintf("\n{\n\tconst struct row_%s *row = c->point->row;\n", hd.name), 1))
	}
	g.bodies.line("#define %s %s", b.f.name, hd.name)
	b.f.name = hd.name
	values := "{ " + strings.Join(r.values, ", ") + " }"
	at := slices.Index(hd.rows, values)
	if at < 0 {
		at = len(hd.rows)
		hd.rows = append(hd.rows, values)
	}
	g.rows[h.probe] = fmt.Sprintf("&rows_%s[%d]", hd.name, at)
}

// rowTables writes the heads' rows.
func (g *gen) rowTables(w *writer) {
	for _, hd := range g.headList {
		w.open("static const struct row_%s rows_%s[] = {", hd.name, hd.name)
		for _, r := range hd.rows {
			w.line("%s,", r)
		}
		w.close("};")
	}
}

// paramTypes spells the types of a tail's parameters.
func paramTypes(fn *program.Function) string {
	list := []string{"struct gs_ctx *", "char *"}
	for _, p := range fn.Params {
		list = append(list, cType(p.Type))
	}
	return strings.Join(list, ", ")
}
