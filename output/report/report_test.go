// SPDX-License-Identifier: GPL-2.0-or-later

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"gostap/live"
	"gostap/output/profile"
)

// Histograms of one position are one series, unless a handler prints several for different elements; a
// series grows if no count decreases.
func TestSeries(t *testing.T) {
	one := Print{Global: "a", printed: []Printed{{Time: 1, Label: "10:01", Buckets: []int64{0, 1, 0, 0}}, {Time: 2, Label: "10:02", Buckets: []int64{0, 0, 2, 0}}}}
	several := Print{Global: "b", Hist: live.Hist{Linear: true}, printed: []Printed{
		{Time: 1, Label: "read", Buckets: []int64{1, 0}}, {Time: 1, Ordinal: 1, Label: "write", Buckets: []int64{0, 0}},
		{Time: 2, Label: "write", Buckets: []int64{0, 0}}, {Time: 2, Ordinal: 1, Label: "read", Buckets: []int64{1, 4}}}}
	var have []string
	for _, p := range []*Print{&one, &several} {
		for _, s := range p.series(func(ns uint64) int64 { return int64(ns) }) {
			have = append(have, fmt.Sprint(s.Title, s.First, s.Times, s.Columns, s.Grows))
		}
	}
	want := "@hist_log(a)1 [1 2] [[1 0] [0 2]] false\n@hist_linear(b): read0 [1 2] [[1 0] [1 4]] true\n@hist_linear(b): write0 [1 2] [[0] [0]] false"
	if got := strings.Join(have, "\n"); got != want {
		t.Errorf("have\n%s\nwant\n%s", got, want)
	}
	r := &Report{Prints: []Print{{}}}
	for range maxPrinted + 3 {
		r.Add(0, Printed{Buckets: []int64{1}})
	}
	if s := r.Prints[0].series(func(uint64) int64 { return 0 })[0]; len(s.Columns) != maxPrinted || s.Omitted != 3 {
		t.Errorf("%d columns, %d omitted", len(s.Columns), s.Omitted)
	}
}

// The beginning and the end of long text are kept, in whole lines, and the bytes between them are
// counted.
func TestText(t *testing.T) {
	var text Text
	var all bytes.Buffer
	for i := 0; all.Len() < 5*textSize; i++ {
		line := fmt.Appendf(nil, "line %d %s\n", i, strings.Repeat("x", i%5000))
		text.Write(line)
		all.Write(line)
	}
	head, tail, omitted := text.parts()
	if len(head) != textSize || len(tail) > textSize || len(head)+len(tail)+omitted != all.Len() || cap(text.tail) > 4*textSize {
		t.Errorf("%d + %d + %d of %d bytes, room for %d", len(head), omitted, len(tail), all.Len(), cap(text.tail))
	}
	if !bytes.HasPrefix(all.Bytes(), head) || !bytes.HasSuffix(all.Bytes(), tail) || !bytes.HasPrefix(tail, []byte("line ")) {
		t.Error("it is not the beginning, or not the end")
	}
	if list := chunks([]byte(strings.Repeat("y", 5*chunk) + "\nz")); len(list) != 4 || list[0] != strings.Repeat("y", 2*chunk) || list[2] != strings.Repeat("y", chunk)+"\n" {
		t.Errorf("%d chunks", len(list))
	}
	if list := chunks([]byte("x" + strings.Repeat("é", chunk))); len(list) != 2 || list[1] != "é" {
		t.Errorf("a character is cut: %d chunks", len(list))
	}
	var blank Text
	fmt.Fprint(&blank, "\n\n \t\n")
	if head, tail, _ := blank.parts(); len(head)+len(tail) > 0 {
		t.Errorf("blank lines, which are left of stacks, are output: %q %q", head, tail)
	}
}

// FuzzNames uses any bytes as data: the page has no other markup than its own, and its data can be
// read.
func FuzzNames(f *testing.F) {
	for _, s := range []string{hostile, "\x1b]0;title\x07", "\xff\xfe", "a\nb\rc", `"\`, "\u202egnp.exe", "\u2028", "", "<!--<script>", "{{.}}", "</pre>"} {
		f.Add(s)
	}
	plain := write(f, "plain")
	f.Fuzz(func(t *testing.T, name string) {
		page := write(t, name)
		for _, markup := range []string{"<script", "</script", "<!--", "<pre", "</pre", "<img", "onerror"} {
			if in := strings.ToLower(name); strings.Contains(markup, "onerror") && strings.Contains(in, "onerror") {
				continue // as text
			}
			if n, m := strings.Count(page, markup), strings.Count(plain, markup); n != m {
				t.Errorf("%s is there %d times, not %d", markup, n, m)
			}
		}
		if !utf8.ValidString(page) || strings.ContainsFunc(page[strings.Index(page, "<body>"):strings.Index(page, `<script type="app`)], func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
		}) {
			t.Error("control characters, or no UTF-8")
		}
		_, data, _ := strings.Cut(page, `id="data">`)
		data, _, _ = strings.Cut(data, "</script>")
		var shown struct {
			Globals []struct{ Rows []struct{ Keys []any } }
			Series  []struct{ Title string }
		}
		if err := json.Unmarshal([]byte(data), &shown); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(name, "\ufffd"); strings.ReplaceAll(fmt.Sprint(shown.Globals[0].Rows[0].Keys[0]), "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("the key is %q", shown.Globals[0].Rows[0].Keys[0])
		}
	})
}

// write returns a page in which all names are name.
func write(t testing.TB, name string) string {
	r := &Report{Title: name, Release: name, Stacks: &profile.Profile{}, Prints: []Print{{Global: name}}, Clock: func(uint64) time.Time { return time.Time{} },
		Snapshot: &live.Snapshot{State: live.State{Script: name}, Probes: []live.Probe{{Name: name, At: name}},
			Globals: []live.Global{{Name: name, Kind: live.String, Keys: []string{live.String}, Error: name, Rows: []live.Row{{Keys: []live.Value{text(name)}, Value: text(name)}}}}}}
	r.Add(0, Printed{Label: name, Buckets: hist(1)})
	r.Add(0, Printed{Ordinal: 1, Label: name, Buckets: hist(2)})
	r.Stacks.Leaf([]profile.Frame{{Name: profile.Clean(name), Module: profile.Clean(name)}}).Self = 1
	r.Text.Write([]byte(name))
	r.Text.Write([]byte("."))
	var page bytes.Buffer
	if err := r.Write(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}
