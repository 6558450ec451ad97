// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/translator/program"
)

// A statRef is the C text of a statistic.
type statRef struct {
	global *program.Global
	ptr    string // a pointer to it
	maybe  bool   // ptr may be NULL
	thing  string // its name in errors
}

// empty returns the C condition that nothing has been added to it.
func (s statRef) empty() string {
	if s.maybe {
		return fmt.Sprintf("!%s || !%s->count", s.ptr, s.ptr)
	}
	return fmt.Sprintf("!%s->count", s.ptr)
}

// field returns the C text of a figure that is 0 if there is no statistic.
func (s statRef) field(name string) string {
	if s.maybe {
		return fmt.Sprintf("(%s ? %s->%s : 0)", s.ptr, s.ptr, name)
	}
	return fmt.Sprintf("%s->%s", s.ptr, name)
}

// stat finds a statistic whose figures are read.
func (b *body) stat(x program.Expr) statRef {
	switch x := x.(type) {
	case *program.GlobalRef:
		t := b.temp()
		b.line("struct stat_%s *%s = &%s;", b.g.names[x.Global], t, b.global(x.Global))
		return statRef{global: x.Global, ptr: t, thing: fmt.Sprintf("identifier '%s'", x.Global.Name)}
	case *program.StatCursor:
		g := x.Cursor.Array
		t := b.temp()
		b.line("struct stat_%s *%s = &%s->v;", b.g.names[g], t, b.cursors[x.Cursor])
		return statRef{global: g, ptr: t, thing: fmt.Sprintf("identifier '%s'", x.Cursor.Name)}
	}
	el := x.(*program.Element)
	ref := statRef{global: el.Array, thing: fmt.Sprintf("identifier '%s'", el.Array.Name), maybe: true}
	if hasStar(el.Keys) {
		return b.statOfSlice(el, ref)
	}
	node := b.find(el.Array, b.keyTexts(el, false))
	ref.ptr = b.temp()
	b.line("struct stat_%s *%s = %s ? &%s->v : NULL;", b.g.names[el.Array], ref.ptr, node, node)
	return ref
}

// statOfSlice joins the statistics of the elements that match a slice.
func (b *body) statOfSlice(el *program.Element, ref statRef) statRef {
	name := b.g.names[el.Array]
	ref.ptr, ref.maybe = b.temp(), false
	b.line("struct stat_%s *%s = (struct stat_%s *)(%s);", name, ref.ptr, name, b.slot(statSize(el.Array.Stat)))
	b.line("__builtin_memset(%s, 0, sizeof(*%s));", ref.ptr, ref.ptr)
	b.eachMatch(el.Array, el.Keys, el.At, func(node string) {
		b.line("merge_%s(%s, &%s->v);", name, ref.ptr, node)
	})
	return ref
}

// statSize is the size of a statistic's C struct, in bytes.
func statSize(s *program.StatSpec) int {
	n := 16
	if s.Min {
		n += 8
	}
	if s.Max {
		n += 8
	}
	if s.Variance {
		n += 16
	}
	for _, h := range s.Hists {
		n += 8 * bucketCount(h)
	}
	return n
}

// bucketCount is the number of a histogram's buckets, including those for values below and above its
// range.
func bucketCount(h *program.Hist) int {
	if !h.Linear {
		return 128
	}
	return int((uint64(h.High)-uint64(h.Low))/uint64(h.Interval)) + 3
}

// histField is the name of a histogram in its statistic's C struct.
func histField(g *program.Global, h *program.Hist) string {
	for i, other := range g.Stat.Hists {
		if *other == *h {
			return fmt.Sprintf("hist%d", i)
		}
	}
	return "hist0"
}

func (b *body) statRead(e *program.StatRead) value {
	s := b.stat(e.X)
	switch e.Op {
	case "count", "sum":
		return value{s.field(e.Op), volatile}
	}
	figure := statFigure(s, e.Op)
	if e.EmptyIsZero {
		return value{fmt.Sprintf("(%s ? 0 : %s)", s.empty(), figure), volatile}
	}
	b.raise(s.empty(), `"empty aggregate"`, b.g.near(s.thing, e.At))
	return value{figure, volatile}
}

// statFigure returns the C text of a figure of a statistic that exists and is not empty.
func statFigure(s statRef, op string) string {
	switch op {
	case "avg":
		return fmt.Sprintf("(%s->sum / %s->count)", s.ptr, s.ptr)
	case "variance":
		shift := s.global.Stat.BitShift
		if s.global.Keys == nil {
			return fmt.Sprintf("gs_variance_total(&%s->variance, (struct gs_stat){ %s->count, %s->sum }, %d)", s.ptr, s.ptr, s.ptr, shift)
		}
		return fmt.Sprintf("gs_variance_read(&%s->variance, %s->count, %d)", s.ptr, s.ptr, shift)
	}
	return s.ptr + "->" + op
}

func (b *body) aggregate(e *program.Aggregate) value {
	var y value
	switch x := e.X.(type) {
	case *program.GlobalRef:
		y = b.addend(e)
		b.line("add_%s(&%s, %s);", b.g.names[x.Global], b.global(x.Global), y.c)
	case *program.Element:
		keys := b.keyTexts(x, b.g.a.effects(e.Y))
		y = b.addend(e)
		b.line("add_%s(&%s->v, %s);", b.g.names[x.Array], b.put(x, keys), y.c)
	}
	return y
}

// addend evaluates the value that is added, as C text that may be used twice.
func (b *body) addend(e *program.Aggregate) value {
	y := b.expr(e.Y)
	if y.lifetime == constant {
		return y
	}
	t := b.temp()
	b.line("gs_s64 %s = %s;", t, y.c)
	return temporaryValue(t)
}

func (b *body) bucket(e *program.Bucket) value {
	i := b.temp()
	s := b.stat(e.X)
	b.line("gs_s64 %s = %s;", i, b.expr(e.Index).c)
	if e.Exists {
		return value{fmt.Sprintf("(!(%s) && (gs_u64)%s < %d)", s.empty(), i, bucketCount(e.Hist)), volatile}
	}
	b.raise(s.empty(), `"empty aggregate"`, b.g.near(s.thing, e.At))
	b.raise(fmt.Sprintf("(gs_u64)%s >= %d", i, bucketCount(e.Hist)), `"histogram index out of range"`, b.g.near(s.thing, e.At))
	return value{fmt.Sprintf("%s->%s[%s]", s.ptr, histField(s.global, e.Hist), i), volatile}
}

func (b *body) printHist(e *program.PrintHist) value {
	s := b.stat(e.X)
	b.raise(s.empty(), `"empty aggregate"`, b.g.near(s.thing, e.At))
	buckets := fmt.Sprintf("%s->%s, %d", s.ptr, histField(s.global, e.Hist), bucketCount(e.Hist))
	if e.Sprint {
		return b.sprintHist(e, buckets)
	}
	b.line("gs_print_hist(c, %d, %s);", b.g.hist(s.global, e.Hist), buckets)
	if e.Newline {
		b.print(&program.Print{At: e.At, Format: "\n"})
	}
	return value{}
}

func (b *body) sprintHist(e *program.PrintHist, buckets string) value {
	h := e.Hist
	t, size := b.temp(), b.g.bounds.maxLen+1
	b.line("struct gs_str %s = gs_sprint_hist(%s, %d, &(const struct gs_hist){ .linear = %s, .low = %s, .interval = %s, .near = %s, .newline = %s }, %s);",
		t, b.slot(size), size, boolText(h.Linear), number(h.Low), number(h.Interval), number(b.g.opts.Limits.HistElision), boolText(e.Newline), buckets)
	return temporaryValue(t)
}
