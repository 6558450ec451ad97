// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// A head is a function for several handlers whose C is the same apart from their tails and from
// constants at their beginning, such as `name`. These are in a row of a table, to which the handler's
// points refer.

// A head is the common function of several handlers.
type head struct {
	name string // of the C function
	rows []string
}

// A row has a handler's constants for its head.
type row struct {
	types  []string // C types of its fields
	values []string // C initializers
}

func (r *row) add(typ, value string) (field string) {
	field = fmt.Sprintf("v%d", len(r.values))
	r.types = append(r.types, fmt.Sprintf(typ, field))
	r.values = append(r.values, value)
	return field
}

// constantAssignment returns the local and the constant if s assigns one to a local; nil if s does something
// else.
func constantAssignment(s program.Stmt) (*program.Local, program.Expr) {
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

// fromRow writes s as a read of the row, if s assigns a constant to a local.
func (b *body) fromRow(s program.Stmt) bool {
	l, x := constantAssignment(s)
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

// splitHead makes a handler whose C, written from start on, equals that of a head use the head.
func (g *gen) splitHead(h *handler, b *body, start int) {
	if b.row == nil || b.tail == nil {
		return
	}
	r := b.row
	text := string(g.bodies.Bytes()[start:])
	if g.heads[h.probe].tailInRow {
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
	g.aliases.line("#define %s %s", b.f.name, hd.name)
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

// paramTypes returns the C types of a tail's parameters.
func paramTypes(fn *program.Function) string {
	list := []string{"struct gs_ctx *", "char *"}
	for _, p := range fn.Params {
		list = append(list, cType(p.Type))
	}
	return strings.Join(list, ", ")
}
