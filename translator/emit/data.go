// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// dataTypes writes the C types of statistics and array nodes, and the functions on them.
func (g *gen) dataTypes(w *writer) {
	for _, k := range g.keySets() {
		k.write(w)
	}
	for _, gl := range g.p.Globals {
		if gl.Type == program.Stat {
			g.statType(w, gl)
		}
		if gl.Keys != nil {
			g.nodeType(w, gl)
		}
	}
}

func (g *gen) statType(w *writer, gl *program.Global) {
	name, spec := g.names[gl], gl.Stat
	w.line("")
	w.open("struct stat_%s {", name)
	w.line("gs_s64 count, sum;")
	if spec.Min {
		w.line("gs_s64 min;")
	}
	if spec.Max {
		w.line("gs_s64 max;")
	}
	if spec.Variance {
		w.line("struct gs_variance variance;")
	}
	for i, h := range spec.Hists {
		w.line("gs_s64 hist%d[%d];", i, bucketCount(h))
	}
	w.close("};")

	w.line("")
	w.line("static inline %s void add_%s(struct stat_%s *s, gs_s64 value)", unused, name, name)
	w.open("{")
	w.line("s->count++;")
	w.line("s->sum += value;")
	if spec.Min {
		w.line("if (s->count == 1 || value < s->min)")
		w.line("\ts->min = value;")
	}
	if spec.Max {
		w.line("if (s->count == 1 || value > s->max)")
		w.line("\ts->max = value;")
	}
	if spec.Variance {
		w.line("gs_variance_add(&s->variance, s->count, value, %d);", spec.BitShift)
	}
	for i, h := range spec.Hists {
		if h.Linear {
			w.line("s->hist%d[gs_linear_bucket(value, %s, %s, %d)]++;", i, number(h.Low), number(h.Interval), bucketCount(h)-2)
		} else {
			w.line("s->hist%d[gs_log_bucket(value)]++;", i)
		}
	}
	w.close("}")
	g.statMerge(w, gl)
}

func (g *gen) statMerge(w *writer, gl *program.Global) {
	name, spec := g.names[gl], gl.Stat
	w.line("")
	w.line("static %s void merge_%s(struct stat_%s *to, const struct stat_%s *from)", unused, name, name, name)
	w.open("{")
	w.line("if (!from->count)")
	w.line("\treturn;")
	if spec.Min {
		w.line("if (!to->count || from->min < to->min)")
		w.line("\tto->min = from->min;")
	}
	if spec.Max {
		w.line("if (!to->count || from->max > to->max)")
		w.line("\tto->max = from->max;")
	}
	if spec.Variance {
		w.line("gs_variance_merge(&to->variance, (struct gs_stat){ to->count, to->sum }, &from->variance,")
		w.line("\t\t  (struct gs_stat){ from->count, from->sum }, %d);", spec.BitShift)
	}
	for i, h := range spec.Hists {
		w.line("for (int i = 0; i < %d; i++)", bucketCount(h))
		w.line("\tto->hist%d[i] += from->hist%d[i];", i, i)
	}
	w.line("to->count += from->count;")
	w.line("to->sum += from->sum;")
	w.close("}")
}

// textSize is the size of a string field whose bound is n: with the length before it, a multiple of 8,
// but no more than the maximal length of strings.
func (g *gen) textSize(n int) int { return min((n+1+4+7)&^7-4, g.bounds.maxLen+1) }

func (g *gen) nodeType(w *writer, gl *program.Global) {
	w.line("")
	w.open("struct node_%s {", g.names[gl])
	g.keySet(gl).fields(w)
	if gl.Type == program.Stat {
		w.line("struct stat_%s v;", g.names[gl])
	} else {
		w.line("%s v;", g.field(gl.Type, g.bounds.value[gl]))
	}
	for i := 1; i < g.a.walkLevels[gl]; i++ {
		w.line("struct gs_node *walk%d;", i)
	}
	w.close("};")
}

func (g *gen) field(t program.Type, bound int) string {
	if t == program.String {
		return fmt.Sprintf("GS_TEXT(%d)", g.textSize(bound))
	}
	return longField
}

func (g *gen) entries(gl *program.Global) int64 {
	if gl.MaxSize > 0 {
		return gl.MaxSize
	}
	return g.opts.Limits.MaxMapEntries
}

func (g *gen) overflowText(gl *program.Global) string {
	n := g.entries(gl)
	limit, how := "MAXMAPENTRIES", fmt.Sprintf("raise it with -DMAXMAPENTRIES=%d", 2*n)
	if gl.MaxSize > 0 {
		limit, how = fmt.Sprintf("size limit (%d)", n), fmt.Sprintf("raise it in its declaration, e.g. %s[%d]", gl.Name, 2*n)
	}
	return g.errorText("Array overflow, check "+limit, fmt.Sprintf("array '%s' is full with %d elements; %s", gl.Name, n, how))
}

// globals writes the variables and locks.
func (g *gen) globals(w *writer) {
	for _, gl := range g.p.Globals {
		if !g.isSharded(gl) {
			w.line("SHARED %s%s;", g.declaration(gl), initial(g.initializer(gl)))
		}
	}
	for _, gr := range g.groups {
		w.line("")
		w.line("/* %s */", strings.Join(gr.names(), ", "))
		if !gr.sharded {
			w.line("SHARED struct gs_lock lock%d;", gr.n)
			continue
		}
		w.open("struct group%d {", gr.n)
		w.line("struct gs_lock lock;")
		var init []string
		for _, gl := range gr.globals {
			w.line("%s;", g.declaration(gl))
			if v := g.initializer(gl); v != "" {
				init = append(init, fmt.Sprintf(".g_%s = %s", g.names[gl], v))
			}
		}
		w.close("};")
		main := ""
		if init != nil {
			main = fmt.Sprintf("{ %s }", strings.Join(init, ", "))
		}
		w.line("SHARED struct group%d main%d%s;", gr.n, gr.n, initial(main))
		w.line("SHARED struct gs_shards shards%d%s;", gr.n, initial(fmt.Sprintf("{ sizeof(struct group%d) }", gr.n)))
	}
}

func (gr *group) names() []string {
	var names []string
	for _, gl := range gr.globals {
		names = append(names, gl.Name)
	}
	return names
}

func (g *gen) declaration(gl *program.Global) string {
	name := "g_" + g.names[gl]
	switch {
	case gl.Keys != nil:
		return "struct gs_map " + name
	case gl.Type == program.Stat:
		return fmt.Sprintf("struct stat_%s %s", g.names[gl], name)
	case gl.Type == program.String:
		return "GS_TEXT(MAXSTRINGLEN) " + name
	}
	return "gs_s64 " + name
}

func (g *gen) initializer(gl *program.Global) string {
	switch x := gl.Init.(type) {
	case *program.Number:
		return number(x.Value)
	case *program.Text:
		s := g.cut(x.Value)
		return fmt.Sprintf("{ %d, %s }", len(s), cString(s))
	}
	return ""
}

// mainInstance is the C text of a global's main instance, outside of handlers.
func (g *gen) mainInstance(gl *program.Global) string {
	if g.isSharded(gl) {
		return fmt.Sprintf("main%d.g_%s", g.groupOf[gl].n, g.names[gl])
	}
	return "g_" + g.names[gl]
}

// drains writes, for each sharded group, a function that adds the shards to the main instance. Its
// caller holds all locks.
func (g *gen) drains(w *writer) {
	for _, gr := range g.groups {
		if !gr.sharded {
			continue
		}
		w.line("")
		w.line("static %s void drain%d(struct gs_ctx *c)", unused, gr.n)
		w.open("{")
		g.drainScalars(w, gr)
		for _, gl := range gr.globals {
			if gl.Keys != nil {
				w.line("gs_array_join(c, &arrays[%d]);", g.arrayIndex(gl))
			}
		}
		w.close("}")
	}
}

func (g *gen) drainScalars(w *writer, gr *group) {
	scalars := slices.DeleteFunc(slices.Clone(gr.globals), func(gl *program.Global) bool { return gl.Keys != nil })
	if len(scalars) == 0 {
		return
	}
	w.open("for (gs_u32 cpu = 0; cpu < gs_ncpus(); cpu++) {")
	w.line("struct group%d *s = gs_shard(&shards%d, cpu);", gr.n, gr.n)
	w.line("")
	for _, gl := range scalars {
		name := g.names[gl]
		from, to := "s->g_"+name, fmt.Sprintf("main%d.g_%s", gr.n, name)
		if gl.Type == program.Stat {
			w.line("merge_%s(&%s, &%s);", name, to, from)
			w.line("__builtin_memset(&%s, 0, sizeof(%s));", from, from)
		} else {
			w.line("%s += %s;", to, from)
			w.line("%s = 0;", from)
		}
	}
	w.close("}")
}
