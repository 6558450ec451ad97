// SPDX-License-Identifier: GPL-2.0-or-later

package monitor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gostap/live"
	"gostap/output/profile"
)

// A view formats snapshots as text.
type view struct {
	sortBy     int                 // an index into orders
	elementsBy int                 // an index into elementOrders
	filter     string              // only elements with this text in a key are shown; "": all
	series     map[string][]uint64 // the recent values of each scalar and each probe
}

func newView() view { return view{series: map[string][]uint64{}} }

// orders are the attributes by which probes are sorted; the key `s` selects the next one.
var orders = []struct {
	name    string
	compare func(a, b *live.Probe) int
}{
	{"number", func(a, b *live.Probe) int { return 0 }},
	{"hits", func(a, b *live.Probe) int { return cmp.Compare(b.Hits, a.Hits) }},
	{"min", func(a, b *live.Probe) int { return cmp.Compare(b.Min, a.Min) }},
	{"avg", func(a, b *live.Probe) int { return cmp.Compare(b.Avg, a.Avg) }},
	{"max", func(a, b *live.Probe) int { return cmp.Compare(b.Max, a.Max) }},
	{"name", func(a, b *live.Probe) int { return cmp.Compare(a.Name, b.Name) }},
}

func (v *view) order() string { return orders[v.sortBy].name }
func (v *view) nextOrder()    { v.sortBy = (v.sortBy + 1) % len(orders) }

// sparkLength is the number of values in a sparkline.
const sparkLength = 12

// note adds a snapshot's values to the sparklines.
func (v *view) note(s *live.Snapshot) {
	add := func(name string, value uint64) {
		list := append(v.series[name], value)
		v.series[name] = list[max(0, len(list)-sparkLength-1):]
	}
	for i := range s.Probes {
		add("probe "+strconv.Itoa(i), s.Probes[i].Hits)
	}
	for _, g := range s.Globals {
		if g.Scalar() && g.Kind == live.Long && len(g.Rows) == 1 {
			add("global "+g.Name, uint64(max(g.Rows[0].Value.Number, 0)))
		}
	}
}

// increases are the differences between successive values of a series.
func increases(list []uint64) []uint64 {
	var by []uint64
	for i := 1; i < len(list); i++ {
		by = append(by, list[i]-min(list[i], list[i-1]))
	}
	return by
}

// spark draws values as a line of block characters.
func spark(list []uint64) string {
	if len(list) == 0 {
		return ""
	}
	top := max(slices.Max(list), 1)
	var b strings.Builder
	for _, n := range list {
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(n/max(top/8, 1), 7)])
	}
	return b.String()
}

func (v *view) head(s *live.Snapshot) string {
	state := &s.State
	return fmt.Sprintf("%s as %s, for %s, data %.1f MB\n%d records, %d lost, %d errors, %d hits skipped",
		profile.Clean(state.Script), profile.Clean(state.Module), s.Time.Sub(state.Started).Round(time.Second), float64(state.Memory)/(1<<20),
		state.Records, state.Lost, state.Errors, state.Skipped)
}

func (v *view) probes(list []live.Probe) string {
	index := make([]int, len(list))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return orders[v.sortBy].compare(&list[a], &list[b]) })
	t, text := newTable()
	fmt.Fprintln(t, "no\tstate\thits\tmin\tavg\tmax cycles\t\tprobe")
	for _, i := range index {
		p := &list[i]
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", i, onOff(p.On), p.Hits, p.Min, p.Avg, p.Max,
			spark(increases(v.series["probe "+strconv.Itoa(i)])), profile.Clean(p.Name))
	}
	return text(t)
}

// newTable returns a writer that aligns cells, which end in tabs, and a function that returns the text.
// Cells must not contain control characters.
func newTable() (*tabwriter.Writer, func(*tabwriter.Writer) string) {
	var b strings.Builder
	return tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0), func(t *tabwriter.Writer) string {
		t.Flush()
		return strings.TrimSuffix(b.String(), "\n")
	}
}

// lines returns text without control characters, with its line breaks.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = profile.Clean(list[i])
	}
	return strings.Join(list, "\n")
}
