// SPDX-License-Identifier: GPL-2.0-or-later

package monitor

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gostap/live"
)

// FuzzNames uses any bytes as names, values and output: what is shown is printable, and has as many
// lines as with plain names.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"dd", "\x1b]0;title\x07", "\x1b[2J", "\xff\xfe", "a\nb\rc\td\ve\f", "[red]x[-]", "\u202egnp.exe", "\u2028", "\u009b31m", ""} {
		f.Add(s)
	}
	shown := func(name string) string {
		v := newView()
		stats := live.Value{Kind: live.Statistics, Stats: &live.Stats{Count: 5, Sum: 10, Hists: [][]int64{make([]int64, 128)}}}
		stats.Stats.Hists[0][70] = 5
		s := &live.Snapshot{State: live.State{Script: name, Module: name}, Probes: []live.Probe{{Name: name, At: name}}, Globals: []live.Global{
			{Name: "who", Kind: live.String, Rows: []live.Row{{Value: text(name)}}},
			{Name: "by", Kind: live.String, Keys: []string{live.String}, Rows: []live.Row{{Keys: []live.Value{text(name)}, Value: text(name)}}},
			{Name: "of", Kind: live.Statistics, Keys: []string{live.String, live.String}, Hists: []live.Hist{{}}, Rows: []live.Row{{Keys: []live.Value{text(name), text(name)}, Value: stats}}},
			{Name: "bad", Error: "it is " + name},
		}}
		v.note(s)
		return strings.Join([]string{v.head(s), v.probes(s.Probes), v.globals(s.Globals), strings.ReplaceAll(lines(name), "\n", " ")}, "\n")
	}
	plain := strings.Count(shown("dd"), "\n")
	f.Fuzz(func(t *testing.T, name string) {
		text := shown(name)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
			t.Fatalf("%q", text)
		}
		if n := strings.Count(text, "\n"); n != plain {
			t.Fatalf("%d lines, not %d: %q", n, plain, text)
		}
	})
}
