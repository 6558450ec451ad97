// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/translator/program"
)

// foreach writes a loop over an array: along the list in order of insertion,
// or along a chain that has been sorted before.
func (b *body) foreach(s *program.Foreach) {
	slice := b.sliceKeys(s.Slice)
	limit := ""
	if s.Limit != nil {
		limit = b.temp()
		b.line("gs_s64 %s = %s;", limit, b.expr(s.Limit).c)
	}
	array, under := b.global(s.Array), ""
	deletes := b.g.a.modifies(s.Body, s.Array, b.g.p)
	if deletes {
		under = b.temp()
		b.line("gs_u32 %s = %s.walks;", under, array)
	}
	n, node := b.temp(), "e"+b.temp()
	b.line("struct gs_node *%s;", n)
	if s.SortDir == 0 {
		if slice != nil { // skipped elements count no action
			b.work(array+".count", b.g.near("loop", s.At))
		}
		if deletes {
			b.line("gs_map_enter(&%s);", array)
		}
		b.open("gs_map_each(%s, &%s) {", n, array)
	} else {
		first := limit
		if deletes {
			first = "" // deleting an element may make room for another
		}
		link := b.sortChain(s, n, array, first, slice)
		if deletes {
			b.line("gs_map_enter(&%s);", array)
		}
		b.open("for (; %s; %s = %s) {", n, n, link)
	}
	b.line("struct node_%s *%s %s = (struct node_%s *)%s;", b.g.names[s.Array], node, unused, b.g.names[s.Array], n)
	b.skipDead(s.Array, n)
	if s.SortDir == 0 {
		b.skipUnless(b.matches(s.Array, slice, node))
	}
	if limit != "" {
		b.line("if (%s-- <= 0)", limit)
		b.line("\tbreak;")
	}
	b.action(b.g.near("loop", s.At))
	b.capture(s, node)
	walks := ""
	if deletes {
		walks = array
	}
	b.loops = append(b.loops, loop{walks: walks, under: under})
	if s.SortDir != 0 {
		b.sorted[s.Array]++
	}
	b.stmt(s.Body)
	if s.SortDir != 0 {
		b.sorted[s.Array]--
	}
	b.loops = b.loops[:len(b.loops)-1]
	b.close("}")
	if deletes {
		b.line("gs_map_leave(&%s, %s);", array, under)
	}
}

// skipDead skips the elements that have been deleted in an active foreach, if the script does that.
func (b *body) skipDead(g *program.Global, n string) {
	if b.g.deletedInLoops()[g] {
		b.line("if (%s->dead)", n)
		b.line("\tcontinue;")
	}
}

func (b *body) skipUnless(match string) {
	if match != "" {
		b.line("if (!(%s))", match)
		b.line("\tcontinue;")
	}
}

// capture sets the loop's variables from the element at node.
func (b *body) capture(s *program.Foreach, node string) {
	aliases := !b.mayChange(s.Array)
	for i, k := range s.Keys {
		if k != nil {
			b.captureLocal(k, fmt.Sprintf("%s->k%d", node, i+1), aliases)
		}
	}
	if s.Value != nil {
		b.captureLocal(s.Value, node+"->v", aliases)
	}
	if s.Cursor != nil {
		b.cursors[s.Cursor] = node
	}
}

// captureLocal sets l from an element's field. aliases is set if the array does not change while the
// function runs: then a string is not copied.
func (b *body) captureLocal(l *program.Local, field string, aliases bool) {
	v := b.local(l)
	if l.Type == program.Long {
		b.line("%s = %s;", v.name, field)
		return
	}
	if aliases {
		b.line("%s = GS_STR(%s);", v.name, field)
		return
	}
	b.line("%s = gs_put(%s, %d, GS_STR(%s));", v.name, b.slotOf(l), b.g.bounds.local[l]+1, field)
}

// mayChange reports whether g's elements may change or be deleted while this function runs.
func (b *body) mayChange(g *program.Global) bool {
	if b.fn != nil {
		return b.g.a.fns[b.fn].usage[g]&(modifies|aggregates) != 0 || b.g.deletedInLoops()[g]
	}
	for _, h := range b.g.handlers {
		if h.name == b.f.name {
			return h.sum.usage[g]&modifies != 0
		}
	}
	return true
}

// sortChain links the matching elements, sorts them and stores the first in n; limit is the C text of
// the maximal number of elements, "" for all. It returns the C text of the link from n to the next.
func (b *body) sortChain(s *program.Foreach, n, array, limit string, slice []string) string {
	level := b.sorted[s.Array]
	if b.fn != nil {
		level += b.g.a.sortLevel[b.fn][s.Array]
	}
	name := b.g.names[s.Array]
	link := func(n string) string {
		if level == 0 {
			return n + "->walk"
		}
		return fmt.Sprintf("((struct node_%s *)%s)->walk%d", name, n, level)
	}
	offset := "__builtin_offsetof(struct gs_node, walk)"
	if level > 0 {
		offset = fmt.Sprintf("__builtin_offsetof(struct node_%s, walk%d)", name, level)
	}
	first, last, count := b.temp(), b.temp(), b.temp()
	b.work(array+".count", b.g.near("loop", s.At))
	b.line("struct gs_node *%s = NULL, **%s = &%s;", first, last, first)
	b.line("gs_u64 %s = 0;", count)
	b.open("gs_map_each(%s, &%s) {", n, array)
	b.skipDead(s.Array, n)
	b.skipUnless(b.matches(s.Array, slice, fmt.Sprintf("((struct node_%s *)%s)", name, n)))
	b.line("*%s = %s;", last, n)
	b.line("%s = &%s;", last, link(n))
	b.line("%s++;", count)
	b.close("}")
	b.line("*%s = NULL;", last)
	if limit == "" {
		b.line("%s = gs_sort(c, %s, %s, %s, %s, %s);", n, first, count, offset, b.g.comparator(s), b.g.near("loop", s.At))
	} else {
		b.line("%s = gs_sort_first(c, %s, %s, %s, %s, %s, %s);", n, first, count, limit, offset, b.g.comparator(s), b.g.near("loop", s.At))
	}
	b.line("if (gs_unlikely(c->error))")
	b.line("\t%s;", b.fail())
	return link(n)
}

// comparator returns the name of the C function that compares elements for s.
func (g *gen) comparator(s *program.Foreach) string {
	key := fmt.Sprintf("%s %d %d %s", g.names[s.Array], s.SortDir, s.SortKey, s.SortOp)
	if name, ok := g.cmps[key]; ok {
		return name
	}
	name := fmt.Sprintf("compare_%s_%d", g.names[s.Array], len(g.cmps))
	g.cmps[key] = name
	x, y := "x", "y"
	if s.SortDir < 0 {
		x, y = "y", "x"
	}
	w := &g.helpers
	w.line("")
	w.line("static gs_s64 %s(const struct gs_node *a, const struct gs_node *b)", name)
	w.line("{")
	w.indent++
	w.line("const struct node_%s *x = (const void *)a, *y = (const void *)b;", g.names[s.Array])
	w.line("")
	if field, isString := sortField(s); isString {
		w.line("return gs_str_cmp(GS_STR(%s->%s), GS_STR(%s->%s));", x, field, y, field)
	} else if s.SortKey == 0 && (s.SortOp == "avg" || s.SortOp == "variance") {
		of := func(node string) string {
			return statFigure(statRef{ptr: "(&" + node + "->v)", global: s.Array}, s.SortOp)
		}
		w.line("gs_s64 p = %s, q = %s;", of(x), of(y))
		w.line("")
		w.line("return (p > q) - (p < q);")
	} else {
		w.line("return (%s->%s > %s->%s) - (%s->%s < %s->%s);", x, field, y, field, x, field, y, field)
	}
	w.indent--
	w.line("}")
	return name
}

func sortField(s *program.Foreach) (field string, isString bool) {
	if s.SortKey > 0 {
		return fmt.Sprintf("k%d", s.SortKey), s.Array.Keys[s.SortKey-1] == program.String
	}
	if s.Array.Type != program.Stat {
		return "v", s.Array.Type == program.String
	}
	if s.SortOp == "" {
		return "v.count", false
	}
	return "v." + s.SortOp, false
}

// foreachBucket writes a loop over a histogram's buckets, by their index.
func (b *body) foreachBucket(s *program.ForeachBucket) {
	st := b.stat(s.X)
	b.raise(st.empty(), `"empty aggregate"`, b.g.near(st.thing, s.At))
	limit := ""
	if s.Limit != nil {
		limit = b.temp()
		b.line("gs_s64 %s = %s;", limit, b.expr(s.Limit).c)
	}
	counts, order, i := b.temp(), b.temp(), b.temp()
	size := bucketCount(s.Hist)
	b.line("gs_s64 *%s = (gs_s64 *)(%s);", counts, b.slot(8*size))
	b.line("gs_u16 *%s = (gs_u16 *)(%s);", order, b.slot(2*size))
	b.line("__builtin_memcpy(%s, %s->%s, %d);", counts, st.ptr, histField(st.global, s.Hist), 8*size)
	byCount := 0
	if s.SortKey == 0 {
		byCount = 1
	}
	b.line("gs_sort_buckets(%s, %d, %s, %d, %d);", counts, size, order, s.SortDir, byCount)
	b.open("for (gs_u32 %s = 0; %s < %d; %s++) {", i, i, size, i)
	if limit != "" {
		b.line("if (%s-- <= 0)", limit)
		b.line("\tbreak;")
	}
	b.action(b.g.near("loop", s.At))
	if s.Key != nil {
		b.line("%s = %s[%s];", b.local(s.Key).name, order, i)
	}
	if s.Value != nil {
		b.line("%s = %s[%s[%s]];", b.local(s.Value).name, counts, order, i)
	}
	b.loops = append(b.loops, loop{})
	b.stmt(s.Body)
	b.loops = b.loops[:len(b.loops)-1]
	b.close("}")
}
