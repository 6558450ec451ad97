// SPDX-License-Identifier: GPL-2.0-or-later

package report

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gostap/live"
	"gostap/output/profile"
	"gostap/tests/browser"
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

// open opens a report in Chromium.
func open(t *testing.T, r *Report) *browser.Page {
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
	return browser.Open(t, "file://"+file)
}

// cells is an expression for the text of the rows of the table whose caption begins with caption.
func cells(caption string) string {
	return `[...[...document.querySelectorAll("table")].find(t => t.caption.textContent.startsWith(` + "`" + caption + "`" + `)).tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))`
}

// The page has the session's numbers, and names as plain text; sorting, filtering and moving work with
// the keyboard.
func TestInBrowser(t *testing.T) {
	b := open(t, sample())
	b.Want(`[document.images.length, document.title.startsWith("</script><img"), document.querySelector("#output pre").textContent]`,
		`[0, true, "printed </script><img src=x onerror=\"document.title='run'\">\ufffd[31m\ufffd\ttab\n"]`)
	b.Want(`[...document.querySelectorAll("nav a")].map(a => a.textContent)`, `["Over time", "Globals", "Stacks", "Output", "Probes"]`)
	b.Want(cells("Numbers and strings"), `[["n", "77"], ["who", "</script><img src=x onerror=\"document.title='run'\">"]]`)
	b.Want(cells("sizes"), `[["8", "4", "33"], ["@hist_log(sizes)valuecount132045"]]`)
	b.Want(cells("@hist_log(sizes)"), `[["1", "", "3"], ["2", "", "0"], ["4", "", "5"]]`)
	b.Want(cells("Probes"), `[["timer.s(1)", "42", "5", "10", "20", "x.stp:1:1"]]`)
	b.Want(cells("@hist_linear(once)"), `[["0", "", "6"], ["10", "", "7"]]`)
	b.Want(cells("Functions"), `[["work", "/bin/prog", "30", "75.00%", "40", "100.00%"],
		["</script><img src=x onerror=\"document.title='run'\">", "</script><img src=x onerror=\"document.title='run'\">", "10", "25.00%", "10", "25.00%"],
		["vfs_read", "kernel", "0", "0.00%", "30", "75.00%"]]`)
	b.Want(`[...document.querySelectorAll("#chart title")].map(t => t.textContent)`, `["all: 40 (100.00%)", "work [/bin/prog]: 40 (100.00%)",
		"</script><img src=x onerror=\"document.title='run'\"> [</script><img src=x onerror=\"document.title='run'\">]: 10 (25.00%)",
		"vfs_read [kernel]: 30 (75.00%)", "work [/bin/prog]: 30 (75.00%)"]`)

	// Sorting by a click and by a key; filtering.
	keys := `(` + cells("elements of by") + `).map(r => r[0].slice(0, 3))`
	b.Want(keys, `["</s", "cat", "dd"]`)
	b.Want(`[...document.querySelectorAll("th")].filter(h => h.ariaSort === "descending").map(h => h.textContent)`, `["value ▾", "count ▾", "self ▾", "hits ▾"]`)
	find := `[...document.querySelectorAll("caption")].find(c => c.textContent === "elements of by").parentNode.querySelectorAll("th button")`
	b.Run(browser.Script(find + `[2].click()`))
	b.Want(keys, `["dd", "cat", "</s"]`)
	b.Run(browser.Script(find+`[0].focus()`), chromedp.KeyEvent(kb.Enter))
	b.Want(`[`+keys+`, `+find+`[0].parentNode.ariaSort]`, `[["</s", "cat", "dd"], "ascending"]`)
	b.Run(chromedp.SendKeys(`input[aria-label="filter elements of by"]`, "CA"))
	b.Want(keys, `["cat"]`)
	b.Want(`document.activeElement.closest("div").querySelector("[role=status]").textContent`, `"1 of 3 rows"`)
}

// The histograms of a position over time are a heat map: if counts only grow, of the increases; arrow
// keys move between cells.
func TestHeatMap(t *testing.T) {
	b := open(t, sample())
	b.Want(`[...document.querySelectorAll("#series h3")].map(h => h.textContent)`, `["@hist_log(lat)", "@hist_linear(once)"]`)
	count := `document.querySelectorAll("svg.heat rect:not(.cursor)").length`
	b.Want(count, `5`)
	status := `document.querySelector("svg.heat").closest("section").querySelector("[role=status]").textContent.replace(/.*, /, "")`
	b.Run(browser.Script(`document.querySelector("svg.heat").focus()`), chromedp.KeyEvent(kb.ArrowRight))
	b.Want(status, `"1: 0"`)
	b.Run(chromedp.KeyEvent(kb.ArrowRight + kb.ArrowRight + kb.ArrowUp + kb.ArrowUp + kb.ArrowUp + kb.ArrowUp))
	b.Want(status, `"8 to 15: 7"`)
	b.Want(`/^\d\d:\d\d:40\.100 to \d\d:\d\d:40\.200, /.test(document.querySelector("svg.heat").closest("section").querySelector("[role=status]").textContent)`, `true`)
	b.Run(chromedp.Click(`#series input`))
	b.Want(count, `6`)
	b.Run(chromedp.Click(`#series summary`), chromedp.WaitVisible(`#series details table`))
	b.Want(`(`+cells("@hist_log(lat), as printed")+`).map(r => r.slice(1))`, `[["0", "1", "0", "0"], ["0", "3", "0", "2"], ["1", "3", "0", "9"]]`)
}

// Tables, columns and rows have accessible names; colours follow the user's preference.
func TestForAll(t *testing.T) {
	b := open(t, sample())
	b.Want(`[...document.querySelectorAll("table")].filter(t => !t.caption || !t.caption.textContent).length`, `0`)
	b.Want(`[...document.querySelectorAll("th")].filter(h => !h.scope).length`, `0`)
	b.Want(`[...document.querySelectorAll("input")].filter(i => !i.labels.length && !i.ariaLabel).length`, `0`)
	b.Want(`[...document.querySelectorAll("button")].filter(b => !b.textContent).length`, `0`)
	b.Want(`[document.documentElement.lang, document.querySelectorAll("main, header, nav[aria-label]").length, document.querySelector("svg.heat").ariaLabel.slice(0, 27)]`,
		`["en", 3, "@hist_log(lat): 3 columns f"]`)
	colors := func(scheme string) (list []string) {
		_, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err == nil {
			list, err = chromedp.Run(b.Ctx, chromedp.Evaluate[[]string](
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
