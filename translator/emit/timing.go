// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"math"
	"strings"

	"gostap/manifest"
	"gostap/translator/format"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// -t and --monitor: each handler is wrapped in a function that counts its runs and their cycles. For -t
// a probe prints the figures after all others have ended.

// timingC counts one run. The figures of all CPUs are kept together, so a script that is timed pays for
// the transfers of the cache line; nothing here waits. Before the first run min is the largest number.
//
// %s is stapSpreadC or nothing.
const timingC = `
static void timing_note(struct gs_timing *t, gs_u64 cycles)
{
	gs_u64 hits = __atomic_fetch_add(&t->hits, 1, __ATOMIC_RELAXED);
	gs_u64 total = __atomic_fetch_add(&t->total, cycles, __ATOMIC_RELAXED), seen;

	(void)hits;
	(void)total;%s
	seen = __atomic_load_n(&t->min, __ATOMIC_RELAXED);
	while (cycles < seen &&
	       !__atomic_compare_exchange_n(&t->min, &seen, cycles, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	seen = __atomic_load_n(&t->max, __ATOMIC_RELAXED);
	while (cycles > seen &&
	       !__atomic_compare_exchange_n(&t->max, &seen, cycles, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}
`

// stapSpreadC is for the variance, which only SystemTap's report has: it divides at each hit.
const stapSpreadC = `
	if (hits) {
		gs_s64 before = cycles - total / hits, after = cycles - (total + cycles) / (hits + 1);

		__atomic_fetch_add(&t->spread, before * after, __ATOMIC_RELAXED);
	}`

// timingReportC prints the figures: %d is the format of the heading, %s are the rows.
const timingReportC = `
static void timing_report(struct gs_ctx *c)
{
	char *p = gs_reserve(c, GS_REC_PRINT, 4);
	gs_u32 i;

	if (p) {
		GS_U32(p) = %d;
		gs_commit(c);
	}
	for (i = 0; i < sizeof(timings) / sizeof(timings[0]); i++) {
		struct gs_timing *t = &timings[i];
%s
		gs_commit(c);
	}
}
`

// timingRowC prints a probe's figures; %d are the formats for a probe that was hit and for one that was
// not.
const timingRowC = `
		p = gs_reserve(c, GS_REC_PRINT, 4 + (t->hits ? 4 * 8 : 0) + 2 + t->probe.len);
		if (!p)
			continue;
		GS_U32(p) = t->hits ? %d : %d;
		p += 4;
		if (t->hits) {
			p = gs_pack_long(p, t->hits);
			p = gs_pack_long(p, t->min);
			p = gs_pack_long(p, t->total / t->hits);
			p = gs_pack_long(p, t->max);
		}
		gs_pack_str(p, t->probe);`

// stapRowC prints a probe's figures as SystemTap does, which omits probes that were not hit; %s are the
// probes' formats.
const stapRowC = `
		static const gs_u32 formats[] = { %s };

		p = t->hits ? gs_reserve(c, GS_REC_PRINT, 4 + 5 * 8) : 0;
		if (!p)
			continue;
		GS_U32(p) = formats[i];
		p = gs_pack_long(p + 4, t->hits);
		p = gs_pack_long(p, t->min);
		p = gs_pack_long(p, t->total / t->hits);
		p = gs_pack_long(p, t->max);
		gs_pack_long(p, t->hits > 1 ? t->spread / (gs_s64)(t->hits - 1) : 0);`

// timingName is the name of the report's probe in records.
const timingName = "timing report"

func (g *gen) timed() bool { return g.opts.Timing || g.opts.Monitor }

// handlerName is the C function that runs when probe i is hit.
func (g *gen) handlerName(i int) string {
	if g.timed() {
		return fmt.Sprintf("timed_%d", i)
	}
	return fmt.Sprintf("probe_%d", i)
}

// A timingRow is a line of the report: a probe of the script, of which elaboration may have made
// several.
type timingRow struct {
	probe  string
	at     syntax.Pos
	points []*program.Point
}

// maxTimed is the maximal length, in bytes, of a probe in the report.
const maxTimed = 400

// String names the probe, its position and, if that differs, the probe point that elaboration found.
func (r *timingRow) String() string {
	name := r.probe
	if len(name) > maxTimed {
		name = strings.ToValidUTF8(name[:maxTimed], "") + "…"
	}
	name += ", " + scriptPos(r.at).String()
	switch {
	case len(r.points) > 1:
		name += fmt.Sprintf(", at %d points", len(r.points))
	case r.points[0].Name != r.probe:
		name += ", at " + r.points[0].Name
	}
	return name
}

// timingRows returns the report's lines, and for each probe the index of its line.
func (g *gen) timingRows() (rows []*timingRow, rowOf []int) {
	type key struct {
		probe string
		at    syntax.Pos
	}
	index := map[key]int{}
	for _, pr := range g.p.Probes {
		k := key{pr.Name, pr.At}
		n, known := index[k]
		if !known {
			n = len(rows)
			index[k] = n
			rows = append(rows, &timingRow{probe: pr.Name, at: pr.At})
		}
		rows[n].points = append(rows[n].points, pr.Points...)
		rowOf = append(rowOf, n)
	}
	return rows, rowOf
}

// timing writes the wrappers, and for -t the report's handler.
func (g *gen) timing(w *writer) {
	rows, rowOf := g.timingRows()
	w.line("")
	w.open("static struct gs_timing timings[] = {")
	for _, r := range rows {
		w.line("{ .min = ~0ULL, .probe = { %s, %d } },", cString(r.String()), len(r.String()))
	}
	w.close("};")
	spread := ""
	if g.opts.AsStap {
		spread = stapSpreadC
	}
	fmt.Fprintf(w, timingC, spread)
	for i := range g.p.Probes {
		w.line("")
		w.line("static void timed_%d(struct gs_ctx *c)", i)
		w.open("{")
		if g.opts.Monitor {
			w.line("if (gs_unlikely(timings[%d].off))", rowOf[i])
			w.line("\treturn;")
			w.line("")
		}
		w.line("gs_u64 began = __builtin_ia32_rdtsc();")
		w.line("")
		w.line("probe_%d(c);", i)
		w.line("timing_note(&timings[%d], __builtin_ia32_rdtsc() - began);", rowOf[i])
		w.close("}")
	}
	if !g.opts.Timing {
		return
	}
	if g.opts.AsStap {
		fmt.Fprintf(w, timingReportC, g.format(format.Quote("----- probe hit report: \n"), ""), fmt.Sprintf(stapRowC, g.stapRows(rows)))
		return
	}
	const columns = "%10s %12s %12s %12s  %s\n"
	fmt.Fprintf(w, timingReportC,
		g.format(format.Quote(fmt.Sprintf(columns, "hits", "min cycles", "avg cycles", "max cycles", "probe")), ""),
		fmt.Sprintf(timingRowC, g.format("%10d %12d %12d %12d  %s\n", "lllls"),
			g.format(fmt.Sprintf("%10s %12s %12s %12s  %%s\n", "0", "-", "-", "-"), "s")))
}

// stapRows returns the indexes of the formats in which SystemTap's report prints probes.
func (g *gen) stapRows(rows []*timingRow) string {
	var numbers []string
	for i, r := range rows {
		name := r.points[0].Name
		from := " from: " + name
		if r.probe != name {
			from += " from: " + r.probe
		}
		text := format.Quote(fmt.Sprintf("%s, (%s), hits: ", name, scriptPos(r.at))) +
			"%d, cycles: %dmin/%davg/%dmax, variance: %d," + format.Quote(fmt.Sprintf("%s, index: %d\n", from, i))
		numbers = append(numbers, fmt.Sprint(g.format(text, "lllll")))
	}
	return strings.Join(numbers, ", ")
}

// timingPoints writes the points of the report's handler, behind the script's own: all ends of a
// session.
func (g *gen) timingPoints(w *writer) {
	for _, family := range []string{"end", "error"} {
		w.line("{ %s, %s, NULL, %d, 0, GS_NO_SYMBOL, 0, 0, { %s, 0 }, 0, 0, NULL },", cString(family), cString(timingName), len(g.p.Probes), number(math.MaxInt64))
		g.manifest.Points = append(g.manifest.Points, manifest.Point{Name: timingName, Probe: timingName})
	}
}
