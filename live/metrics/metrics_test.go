// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"fmt"
	"slices"
	"testing"

	"gostap/live"
)

func text(s string) live.Value { return live.Value{Kind: live.String, Text: s} }

func of(t *testing.T, name string, globals ...live.Global) *Metric {
	t.Helper()
	list := Of(&live.Snapshot{Globals: globals})
	i := slices.IndexFunc(list, func(m *Metric) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return list[i]
}

// Series with the same name and labels are listed once: receivers reject duplicates.
func TestOnce(t *testing.T) {
	one := live.Value{Kind: live.Long, Number: 1}
	x := live.Global{Name: "x", Kind: live.String, Rows: []live.Row{{Value: text("a\x01")}}}
	info := live.Global{Name: "x_info", Kind: live.Long, Keys: []string{live.String}, Rows: []live.Row{
		{Keys: []live.Value{text("\x01")}, Value: one}, {Keys: []live.Value{text(`\x01`)}, Value: one}}}
	if m := of(t, "gostap_global_x_info", x, info); len(m.Series) != 1 || fmt.Sprint(m.Series[0].Labels) != `[a\x01]` {
		t.Errorf("%v", m.Series)
	}
	if m := of(t, "gostap_global_x_info", info, x); len(m.Series) != 1 || fmt.Sprint(m.Series[0].Labels) != `[\x01]` {
		t.Errorf("%v", m.Series)
	}
}

// Buckets are those between the first and the last that are not empty; the last is for values above all
// bounds.
func TestBuckets(t *testing.T) {
	logarithmic := make([]int64, 128)
	logarithmic[65], logarithmic[67] = 3, 5 // three 1s, five of 4 to 7
	linear := []int64{0, 2, 0, 7}           // <0, 0 to 9, 10 to 19, >19
	g := live.Global{Name: "s", Kind: live.Statistics, Hists: []live.Hist{{}, {Linear: true, High: 10, Interval: 10}},
		Rows: []live.Row{{Value: live.Value{Kind: live.Statistics, Stats: &live.Stats{Count: 9, Sum: 33, Hists: [][]int64{logarithmic, linear}}}}}}
	if s := of(t, "gostap_global_s", g).Series[0].Statistics; fmt.Sprint(*s) != "{9 33 true [1 3 7] [3 0 5 0]}" {
		t.Errorf("%v", *s)
	}
	if s := of(t, "gostap_global_s_histogram2", g).Series[0].Statistics; fmt.Sprint(*s) != "{9 33 true [-1 9 19] [0 2 0 7]}" {
		t.Errorf("%v", *s)
	}
}
