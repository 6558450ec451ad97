// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/emit/regex"
	"gostap/translator/program"
)

// maxGroups is GS_MAXGROUPS: the number of groups that matched() reads, including the whole match.
const maxGroups = 10

func (b *body) match(e *program.Match) value {
	not := ""
	if e.Not {
		not = "!"
	}
	tables, ok := b.g.regex(e)
	x := b.expr(e.X)
	if !ok {
		return value{"0", constant}
	}
	if !e.Keep {
		return value{fmt.Sprintf("%sgs_regex_match(&%s, %s)", not, tables.name, x.c), x.lifetime}
	}
	n := b.g.bounds.of(e.X) + 1
	s, t := b.temp(), b.temp()
	b.line("struct gs_str %s = gs_put(%s, %d, %s);", s, b.slot(n), n, x.c)
	b.line("gs_s64 %s = gs_regex_match(&%s, %s);", t, tables.name, s)
	b.line("if (%s)", t)
	b.line("\tgs_regex_groups(c, &program_%s, %s, %s);", tables.name, s, b.slot(tables.scratch))
	b.line("else")
	b.line("\tc->match.ngroups = 0;")
	return temporaryValue("(%s%s)", not, t)
}

// A regexTables describes the tables of an expression that have been written.
type regexTables struct {
	name    string
	scratch int // GS_RE_SCRATCH of its program
}

// regex writes the tables of e's expression unless they exist.
func (g *gen) regex(e *program.Match) (regexTables, bool) {
	if t, ok := g.regexes[e.Regex]; ok {
		return t, t.name != ""
	}
	re, err := regex.Compile(e.Regex, g.opts.AsStap)
	if err != nil {
		g.diags.Errorf(e.At, "%v", err)
		g.regexes[e.Regex] = regexTables{}
		return regexTables{}, false
	}
	groups := min(re.Groups+1, maxGroups)
	t := regexTables{
		name:    fmt.Sprintf("regex%d", len(g.regexes)),
		scratch: 2*len(re.Insts)*(4+4*groups) + 2*len(re.Insts)*8,
	}
	g.regexes[e.Regex] = t
	g.writeRegex(t.name, e.Regex, re)
	if g.keeps {
		g.writeRegexProgram(t.name, re, groups)
	}
	return t, true
}

func (g *gen) writeRegex(name, text string, re *regex.Regex) {
	w := &g.helpers
	w.line("")
	w.line("/* %s */", strings.ReplaceAll(cString(text), "*/", "* /"))
	table(w, "gs_u8", name+"_classes", re.Classes[:])
	table(w, "gs_u16", name+"_next", re.Next)
	table(w, "gs_u8", name+"_accepts", re.Accepts)
	w.line("static const struct gs_regex %s = { %s_classes, %s_next, %s_accepts, %d };", name, name, name, name, re.NClass)
}

func (g *gen) writeRegexProgram(name string, re *regex.Regex, groups int) {
	w := &g.helpers
	w.open("static const gs_u64 %s_sets[][4] = {", name)
	for _, s := range re.Sets {
		w.line("{ %#xull, %#xull, %#xull, %#xull },", s[0], s[1], s[2], s[3])
	}
	if len(re.Sets) == 0 {
		w.line("{ 0 },")
	}
	w.close("};")
	w.open("static const struct gs_re_inst %s_insts[] = {", name)
	for _, in := range re.Insts {
		w.line("{ %d, %d, %d, %d },", in.Op, in.X, in.Y, in.Set)
	}
	w.close("};")
	w.line("static const struct gs_re_program program_%s %s = { %s_insts, %s_sets, %d, %d, %d };", name, unused, name, name, len(re.Insts), re.Start, groups)
}

func table[T uint8 | uint16](w *writer, cType, name string, values []T) {
	w.open("static const %s %s[] = {", cType, name)
	for len(values) > 0 {
		n := min(len(values), 24)
		var b strings.Builder
		for i, v := range values[:n] {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%d,", v)
		}
		w.line("%s", b.String())
		values = values[n:]
	}
	w.close("};")
}
