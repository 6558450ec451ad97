// SPDX-License-Identifier: GPL-2.0-or-later

package monitor

import (
	"strings"
	"testing"

	"gostap/live"
)

func number(n int64) live.Value { return live.Value{Kind: live.Long, Number: n} }
func text(s string) live.Value  { return live.Value{Kind: live.String, Text: s} }

func TestGlobals(t *testing.T) {
	v := newView()
	buckets := make([]int64, 128)
	buckets[64], buckets[66] = 1, 4
	list := []live.Global{
		{Name: "n", Kind: live.Long, Rows: []live.Row{{Value: number(7)}}},
		{Name: "by", Kind: live.Long, Keys: []string{live.String}, Rows: []live.Row{
			{Keys: []live.Value{text("cat")}, Value: number(1)}, {Keys: []live.Value{text("dd\x1b[31m")}, Value: number(9)}}},
		{Name: "s", Kind: live.Statistics, Hists: []live.Hist{{}}, Rows: []live.Row{{Value: live.Value{Kind: live.Statistics,
			Stats: &live.Stats{Count: 5, Sum: 10, Hists: [][]int64{buckets}}}}}},
		{Name: "bad", Error: "it is so"},
	}
	const want = `n  7  

by: 2 elements
dd�[31m  9
cat      1

s
count  min  avg  max  sum
5      -    2    -    10
                     0 │██████████ 1
                     1 │ 0
                     2 │████████████████████████████████████████ 4

bad: it could not be read: it is so`
	if got := v.globals(list); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	v.filter = "cat"
	if got := v.globals(list[1:2]); got != "by: 2 elements, 1 shown\ncat  1" {
		t.Errorf("filtered:\n%s", got)
	}
}

func TestElementOrders(t *testing.T) {
	row := func(key string, count, sum, most int64) live.Row {
		return live.Row{Keys: []live.Value{{Kind: live.String, Text: key}},
			Value: live.Value{Kind: live.Statistics, Stats: &live.Stats{Count: count, Sum: sum, Max: &most}}}
	}
	g := &live.Global{Name: "a", Keys: []string{live.String}, Kind: live.Statistics, Rows: []live.Row{row("b", 9, 10, 3), row("c", 1, 8, 5), row("a", 2, 20, 4)}}
	v := newView()
	for i, want := range []string{"bac", "abc", "abc", "acb", "cab"} {
		v.elementsBy = i
		got := ""
		for _, r := range v.chosen(g) {
			got += r.Keys[0].Text
		}
		if got != want {
			t.Errorf("by %s: %s, want %s", elementOrders[i].name, got, want)
		}
	}
}

func TestProbes(t *testing.T) {
	v := newView()
	list := []live.Probe{{Name: "b", On: true, Hits: 5, Min: 1, Avg: 2, Max: 3}, {Name: "a", Hits: 9}}
	for _, hits := range []uint64{10, 20, 40, 120} {
		list[1].Hits = hits
		v.note(&live.Snapshot{Probes: list})
	}
	for range 2 {
		v.nextOrder()
	}
	if v.order() != "min" {
		t.Errorf("sorted by %s", v.order())
	}
	got := strings.Split(v.probes(list), "\n")
	if len(got) != 3 || !strings.HasPrefix(got[1], "0   on ") || !strings.HasPrefix(got[2], "1   off ") || !strings.Contains(got[2], "▂▃█") {
		t.Errorf("%q", got)
	}
	v.sortBy = 1
	if got = strings.Split(v.probes(list), "\n"); !strings.HasPrefix(got[1], "1   off") {
		t.Errorf("by hits: %q", got)
	}
}

func TestLastLines(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"a\nb\nc\n", 2, "b\nc\n"}, {"a\nb\nc", 2, "b\nc"}, {"a\nb\n", 2, "a\nb\n"}, {"a\nb\n", 5, "a\nb\n"}, {"", 1, ""}} {
		if got := lastLines(c.text, c.n); got != c.want {
			t.Errorf("%d of %q: %q", c.n, c.text, got)
		}
	}
}
