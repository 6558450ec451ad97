// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"testing"

	"gostap/manifest"
)

// TestShown passes records in the order of handlers, and decodes the page's data.
func TestShown(t *testing.T) {
	m := &manifest.Manifest{Probes: []manifest.Probe{{Name: "begin"}}, Points: []manifest.Point{{Name: "begin"}},
		Formats: []manifest.Format{{Format: "%s\n", Args: "s"}},
		Hists:   []manifest.Hist{{Of: "a", Linear: true, High: 10, Interval: 10}, {Of: "b", Linear: true, High: 10, Interval: 10}}}
	var shown Shown
	out, err := newOutput(&Config{Collector: &shown}, m, new(clock), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	kallsyms := "ffffffff81000000 T outer\nffffffff81000100 T inner\nffffffff81000200 T end\n"
	shown.stacks.sink.symbols, _ = testSymbols(&kallsyms)
	shown.sink.text.stacks.symbols = shown.stacks.sink.symbols
	line := func(s string) []byte { return append([]byte{0, 0, 0, 0, byte(len(s)), 0}, s...) }
	for _, r := range []struct {
		time    uint64
		kind    uint16
		payload []byte
	}{
		{1e9, recPrint, line("read")}, {1e9, recHist, histPayload(0, 0, 3, 0, 0)}, {1e9, recPrint, line("write")}, {1e9, recHist, histPayload(0, 0, 4, 0, 0)},
		{2e9, recPrint, line("write")}, {2e9, recHist, histPayload(0, 0, 5, 0, 0)},
		{3e9, recHist, histPayload(1, 0, 0, 9, 0)},
		{4e9, recPrint, line("dd")}, {4e9, recStack, stackPayload(0, 0xffffffff81000110, 0xffffffff81000020)},
	} {
		out.record(0, &record{kind: r.kind, time: r.time}, r.payload)
	}
	var page bytes.Buffer
	if err := shown.Report("x.stp", nil).Write(&page); err != nil || out.bad != 0 {
		t.Fatal(err, out.bad)
	}
	_, text, _ := strings.Cut(page.String(), `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	var data struct {
		Series []struct {
			Title   string
			Times   []int64
			Columns [][]int64
		}
		Stacks struct{ Frames []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	have := []string{}
	for _, s := range data.Series {
		have = append(have, s.Title)
	}
	if strings.Join(have, "; ") != "@hist_linear(a): read; @hist_linear(a): write; @hist_linear(b)" {
		t.Errorf("series are %q", have)
	}
	if write := data.Series[1]; len(write.Times) != 2 || write.Times[1]-write.Times[0] != 1000 || write.Columns[0][0] != 4 || write.Columns[1][0] != 5 {
		t.Errorf("%+v", write)
	}
	if len(data.Stacks.Frames) != 4 || data.Stacks.Frames[1].Name != "dd" {
		t.Errorf("stacks are %+v", data.Stacks)
	}
	for _, printed := range []string{"read\nvalue |", "dd\n", "0xffffffff81000110 : inner+0x10/0x100 [kernel]\n"} {
		if !strings.Contains(html.UnescapeString(page.String()), printed) {
			t.Errorf("the text has no %q", printed)
		}
	}
	m.Probes = nil
	if _, err := newOutput(&Config{Collector: &shown}, m, new(clock), nil, nil); err == nil {
		t.Error("a module whose globals can't be read is accepted")
	}
}
