// SPDX-License-Identifier: GPL-2.0-or-later

package monitor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gostap/live"
	"gostap/output/profile"
)

// maxShown is the maximal number of elements of an array that are shown: those with the largest values.
const maxShown = 100

// globals shows scalars in one table, and after it arrays and statistics one by one.
func (v *view) globals(list []live.Global) string {
	var parts []string
	t, text := newTable()
	scalars := 0
	for i := range list {
		g := &list[i]
		if g.Scalar() && g.Kind != live.Statistics && len(g.Rows) == 1 {
			scalars++
			fmt.Fprintf(t, "%s\t%s\t%s\n", profile.Clean(g.Name), g.Rows[0].Value, spark(v.series["global "+g.Name]))
		}
	}
	if scalars > 0 {
		parts = append(parts, text(t))
	}
	for i := range list {
		if g := &list[i]; !g.Scalar() || g.Kind == live.Statistics || g.Error != "" {
			parts = append(parts, v.global(g))
		}
	}
	return strings.Join(parts, "\n\n")
}

func (v *view) global(g *live.Global) string {
	name := profile.Clean(g.Name)
	if g.Error != "" {
		return name + ": it could not be read: " + profile.Clean(g.Error)
	}
	rows := v.chosen(g)
	if !g.Scalar() {
		name += fmt.Sprintf(": %d elements", len(g.Rows))
		if len(rows) < len(g.Rows) {
			name += fmt.Sprintf(", %d shown", len(rows))
		}
	}
	t, text := newTable()
	if g.Kind == live.Statistics {
		fmt.Fprint(t, strings.Repeat("\t", len(g.Keys)), "count\tmin\tavg\tmax\tsum\n")
	}
	for _, r := range rows {
		for _, k := range r.Keys {
			fmt.Fprintf(t, "%s\t", k)
		}
		if s := r.Value.Stats; s != nil {
			fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%d\n", s.Count, orNone(s.Min), s.Avg(), orNone(s.Max), s.Sum)
		} else {
			fmt.Fprintln(t, r.Value)
		}
	}
	parts := []string{name}
	if len(rows) > 0 {
		parts = append(parts, text(t))
	}
	return strings.Join(append(parts, histograms(g, rows)...), "\n")
}

// chosen are the elements that are shown.
func (v *view) chosen(g *live.Global) []live.Row {
	rows := slices.Clone(g.Rows)
	if v.filter != "" && !g.Scalar() {
		rows = slices.DeleteFunc(rows, func(r live.Row) bool {
			return !slices.ContainsFunc(r.Keys, func(k live.Value) bool { return strings.Contains(k.String(), v.filter) })
		})
	}
	slices.SortStableFunc(rows, elementOrders[v.elementsBy].compare)
	return rows[:min(len(rows), maxShown)]
}

// elementOrders are the attributes by which elements are sorted; the key `o` selects the next one. For
// elements that are not statistics, every attribute is their value.
var elementOrders = []struct {
	name    string
	compare func(a, b live.Row) int
}{
	{"value or count", func(a, b live.Row) int { return b.Value.Compare(a.Value) }},
	{"key", func(a, b live.Row) int { return slices.CompareFunc(a.Keys, b.Keys, live.Value.Compare) }},
	{"sum", byStatistic(func(s *live.Stats) int64 { return s.Sum })},
	{"average", byStatistic((*live.Stats).Avg)},
	{"maximum", byStatistic(func(s *live.Stats) int64 {
		if s.Max == nil {
			return math.MinInt64
		}
		return *s.Max
	})},
}

func byStatistic(of func(*live.Stats) int64) func(a, b live.Row) int {
	return func(a, b live.Row) int {
		if a.Value.Stats == nil || b.Value.Stats == nil {
			return b.Value.Compare(a.Value)
		}
		return cmp.Compare(of(b.Value.Stats), of(a.Value.Stats))
	}
}

func orNone(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

// maxHistograms is the number of elements whose histograms are shown.
const maxHistograms = 5

func histograms(g *live.Global, rows []live.Row) []string {
	var list []string
	for _, r := range rows[:min(len(rows), maxHistograms)] {
		for i, buckets := range histogramsOf(r.Value) {
			var keys []string
			for _, k := range r.Keys {
				keys = append(keys, k.String())
			}
			if title := strings.Join(keys, ", "); title != "" {
				list = append(list, "  "+title)
			}
			list = append(list, bars(g.Hists[i], buckets)...)
		}
	}
	return list
}

// barWidth is the length of the longest bar, in cells.
const barWidth = 40

// bars draws a histogram: a line for each bucket between the first and the last that is not empty.
func bars(h live.Hist, buckets []int64) []string {
	first, last, ok := live.Filled(buckets)
	if !ok {
		return nil
	}
	top := slices.Max(buckets)
	var list []string
	for i := first; i <= last; i++ {
		list = append(list, fmt.Sprintf("  %20s │%s %d", h.Label(i, len(buckets)), bar(buckets[i], top), buckets[i]))
	}
	return list
}

// bar draws n as a bar of block characters, in eighths of a cell; top is the value of the longest bar.
func bar(n, top int64) string {
	eighths := int(float64(max(n, 0)) / float64(top) * barWidth * 8)
	text := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[part-1])
	}
	return text
}

func histogramsOf(v live.Value) [][]int64 {
	if v.Stats == nil {
		return nil
	}
	return v.Stats.Hists
}
