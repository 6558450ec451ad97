// SPDX-License-Identifier: GPL-2.0-or-later

package report

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gostap/live"
	"gostap/output/profile"
	browsers "gostap/tests/browser"
)

const hostile = `</script><img src=x onerror="document.title='run'">`

func number(n int64) live.Value { return live.Value{Kind: live.Long, Number: n} }
func text(s string) live.Value  { return live.Value{Kind: live.String, Text: s} }
func hist(counts ...int64) []int64 { // of 1, 2, 4, …
	buckets := make([]int64, 128)
	copy(buckets[65:], counts)
	return buckets
}

// sample is a report with data of all kinds.
func sample() *Report {
	stats := live.Value{Kind: live.Statistics, Stats: &live.Stats{Count: 8, Sum: 33, Hists: [][]int64{hist(3, 0, 5)}}}
	r := &Report{Title: hostile, Stacks: &profile.Profile{}, Clock: func(ns uint64) time.Time { return time.UnixMilli(int64(ns) * 100) },
		Snapshot: &live.Snapshot{Globals: []live.Global{
			{Name: "n", Kind: live.Long, Rows: []live.Row{{Value: number(77)}}},
			{Name: "who", Kind: live.String, Rows: []live.Row{{Value: text(hostile)}}},
			{Name: "by", Kind: live.Long, Keys: []string{live.String, live.Long}, Rows: []live.Row{
				{Keys: []live.Value{text("dd"), number(2)}, Value: number(5)},
				{Keys: []live.Value{text(hostile + "\x1b\xff\u202e"), number(-1)}, Value: number(1 << 60)},
				{Keys: []live.Value{text("cat"), number(3)}, Value: number(40)}}},
			{Name: "sizes", Kind: live.Statistics, Hists: []live.Hist{{}}, Rows: []live.Row{{Value: stats}}},
		}, Probes: []live.Probe{{Name: "timer.s(1)", At: "x.stp:1:1", Points: 1, Hits: 42, Min: 5, Avg: 10, Max: 20}}},
		Prints: []Print{{Global: "lat"}, {Global: "once", Hist: live.Hist{Linear: true, High: 20, Interval: 10}}}}
	for i, counts := range [][]int64{hist(0, 1), hist(0, 3, 0, 2), hist(1, 3, 0, 9)} {
		r.Add(0, Printed{Time: uint64(1000 + i), Label: hostile, Buckets: counts})
	}
	r.Add(1, Printed{Time: 5, Buckets: []int64{0, 6, 7, 0, 0}})
	work := profile.Frame{Name: "work", Module: "/bin/prog", Kind: profile.User}
	r.Stacks.Leaf([]profile.Frame{work, {Name: "vfs_read", Module: "kernel", Kind: profile.Kernel}, work}).Self = 30
	r.Stacks.Leaf([]profile.Frame{work, {Name: hostile, Module: hostile}}).Self = 10
	r.Text.Write([]byte("printed " + hostile + "\x1b[31m\xff\ttab\n"))
	return r
}

// A browser shows a page.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// open opens a report in Chromium.
func open(t *testing.T, r *Report) *browser {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := browsers.Start(t)
	err = chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("the page fails: %+v", e.ExceptionDetails)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t, ctx}
	b.run(chromedp.EmulateViewport(1200, 900), chromedp.Navigate("file://"+file))
	return b
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// script runs a script in the page.
func script(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](text)
}

// want compares the value of an expression in the page, as JSON.
func (b *browser) want(expression, want string) {
	b.t.Helper()
	have, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	var expected any
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		b.t.Fatal(err)
	}
	if !reflect.DeepEqual(have, expected) {
		text, _ := json.Marshal(have)
		b.t.Errorf("%s is %s, not %s", expression, text, want)
	}
}

// cells is an expression for the text of the rows of the table whose caption begins with caption.
func cells(caption string) string {
	return `[...[...document.querySelectorAll("table")].find(t => t.caption.textContent.startsWith(` + "`" + caption + "`" + `)).tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))`
}

// The page has the session's numbers, and names as plain text; sorting, filtering and moving work with
// the keyboard.
func TestInBrowser(t *testing.T) {
	b := open(t, sample())
	b.want(`[document.images.length, document.title.startsWith("</script><img"), document.querySelector("#output pre").textContent]`,
		`[0, true, "printed </script><img src=x onerror=\"document.title='run'\">\ufffd[31m\ufffd\ttab\n"]`)
	b.want(`[...document.querySelectorAll("nav a")].map(a => a.textContent)`, `["Over time", "Globals", "Stacks", "Output", "Probes"]`)
	b.want(cells("Numbers and strings"), `[["n", "77"], ["who", "</script><img src=x onerror=\"document.title='run'\">"]]`)
	b.want(cells("sizes"), `[["8", "4", "33"], ["@hist_log(sizes)valuecount132045"]]`)
	b.want(cells("@hist_log(sizes)"), `[["1", "", "3"], ["2", "", "0"], ["4", "", "5"]]`)
	b.want(cells("Probes"), `[["timer.s(1)", "42", "5", "10", "20", "x.stp:1:1"]]`)
	b.want(cells("@hist_linear(once)"), `[["0", "", "6"], ["10", "", "7"]]`)
	b.want(cells("Functions"), `[["work", "/bin/prog", "30", "75.00%", "40", "100.00%"],
		["</script><img src=x onerror=\"document.title='run'\">", "</script><img src=x onerror=\"document.title='run'\">", "10", "25.00%", "10", "25.00%"],
		["vfs_read", "kernel", "0", "0.00%", "30", "75.00%"]]`)
	b.want(`[...document.querySelectorAll("#chart title")].map(t => t.textContent)`, `["all: 40 (100.00%)", "work [/bin/prog]: 40 (100.00%)",
		"</script><img src=x onerror=\"document.title='run'\"> [</script><img src=x onerror=\"document.title='run'\">]: 10 (25.00%)",
		"vfs_read [kernel]: 30 (75.00%)", "work [/bin/prog]: 30 (75.00%)"]`)

	// Sorting by a click and by a key; filtering.
	keys := `(` + cells("elements of by") + `).map(r => r[0].slice(0, 3))`
	b.want(keys, `["</s", "cat", "dd"]`)
	b.want(`[...document.querySelectorAll("th")].filter(h => h.ariaSort === "descending").map(h => h.textContent)`, `["value ▾", "count ▾", "self ▾", "hits ▾"]`)
	find := `[...document.querySelectorAll("caption")].find(c => c.textContent === "elements of by").parentNode.querySelectorAll("th button")`
	b.run(script(find + `[2].click()`))
	b.want(keys, `["dd", "cat", "</s"]`)
	b.run(script(find+`[0].focus()`), chromedp.KeyEvent(kb.Enter))
	b.want(`[`+keys+`, `+find+`[0].parentNode.ariaSort]`, `[["</s", "cat", "dd"], "ascending"]`)
	b.run(chromedp.SendKeys(`input[aria-label="filter elements of by"]`, "CA"))
	b.want(keys, `["cat"]`)
	b.want(`document.activeElement.closest("div").querySelector("[role=status]").textContent`, `"1 of 3 rows"`)
}

// The histograms of a position over time are a heat map: if counts only grow, of the increases; arrow
// keys move between cells.
func TestHeatMap(t *testing.T) {
	b := open(t, sample())
	b.want(`[...document.querySelectorAll("#series h3")].map(h => h.textContent)`, `["@hist_log(lat)", "@hist_linear(once)"]`)
	count := `document.querySelectorAll("svg.heat rect:not(.cursor)").length`
	b.want(count, `5`)
	status := `document.querySelector("svg.heat").closest("section").querySelector("[role=status]").textContent.replace(/.*, /, "")`
	b.run(script(`document.querySelector("svg.heat").focus()`), chromedp.KeyEvent(kb.ArrowRight))
	b.want(status, `"1: 0"`)
	b.run(chromedp.KeyEvent(kb.ArrowRight + kb.ArrowRight + kb.ArrowUp + kb.ArrowUp + kb.ArrowUp + kb.ArrowUp))
	b.want(status, `"8 to 15: 7"`)
	b.want(`/^\d\d:\d\d:40\.100 to \d\d:\d\d:40\.200, /.test(document.querySelector("svg.heat").closest("section").querySelector("[role=status]").textContent)`, `true`)
	b.run(chromedp.Click(`#series input`))
	b.want(count, `6`)
	b.run(chromedp.Click(`#series summary`), chromedp.WaitVisible(`#series details table`))
	b.want(`(`+cells("@hist_log(lat), as printed")+`).map(r => r.slice(1))`, `[["0", "1", "0", "0"], ["0", "3", "0", "2"], ["1", "3", "0", "9"]]`)
}

// Tables, columns and rows have accessible names; colours follow the user's preference.
func TestForAll(t *testing.T) {
	b := open(t, sample())
	b.want(`[...document.querySelectorAll("table")].filter(t => !t.caption || !t.caption.textContent).length`, `0`)
	b.want(`[...document.querySelectorAll("th")].filter(h => !h.scope).length`, `0`)
	b.want(`[...document.querySelectorAll("input")].filter(i => !i.labels.length && !i.ariaLabel).length`, `0`)
	b.want(`[...document.querySelectorAll("button")].filter(b => !b.textContent).length`, `0`)
	b.want(`[document.documentElement.lang, document.querySelectorAll("main, header, nav[aria-label]").length, document.querySelector("svg.heat").ariaLabel.slice(0, 27)]`,
		`["en", 3, "@hist_log(lat): 3 columns f"]`)
	colors := func(scheme string) (list []string) {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err == nil {
			list, err = chromedp.Run(b.ctx, chromedp.Evaluate[[]string](
				`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>
					done([getComputedStyle(document.body).backgroundColor, document.querySelector("svg.heat rect").getAttribute("fill")]))))`, chromedp.EvalAwaitPromise))
		}
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	light, dark := colors("light"), colors("dark")
	if light[0] != "rgb(255, 255, 255)" || dark[0] != "rgb(27, 27, 31)" || light[1] == dark[1] {
		t.Errorf("light: %q, dark: %q", light, dark)
	}
}
