// SPDX-License-Identifier: GPL-2.0-or-later

package flamegraph

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gostap/output/folded"
	"gostap/output/profile"
	"gostap/tests/browser"
)

const hostile = `</script><img src=x onerror="document.title='run'">`

func sample() *profile.Profile {
	p := &profile.Profile{}
	work := profile.Frame{Name: "work", Module: "/bin/prog", Kind: profile.User}
	p.Leaf([]profile.Frame{work, {Name: "vfs_read", Module: "kernel", Kind: profile.Kernel}}).Self = 30
	p.Leaf([]profile.Frame{work, {Name: hostile, Module: hostile}}).Self = 10
	return p
}

// In a browser, the page has a frame for each function, with its share, and names as plain text.
func TestInBrowser(t *testing.T) {
	p := show(t, sample(), nil)
	p.Want(titles, `["all: 40 (100.00%)", "work [/bin/prog]: 40 (100.00%)",
		"</script><img src=x onerror=\"document.title='run'\"> [</script><img src=x onerror=\"document.title='run'\">]: 10 (25.00%)", "vfs_read [kernel]: 30 (75.00%)"]`)
	p.Want(`[document.images.length, document.title]`, `[0, "</script><img src=x onerror=\"document.title='run'\">"]`)
	p.Want(`[...document.querySelectorAll("g.frame rect")].map(r => Math.round(100 * r.getAttribute("width") / document.querySelector("svg").getAttribute("width")))`, `[100, 100, 25, 75]`)
}

// With a baseline, a frame shows by how many percentage points its share has changed: of 40 and 60, 30
// and 50 in vfs_read.
func TestBaseline(t *testing.T) {
	base, err := folded.Read(strings.NewReader("work;vfs_read_[k] 15\nwork 15\n\nwork;other 30\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := show(t, sample(), base)
	changes := `[...document.querySelectorAll("#chart title")].map(t => t.textContent.replace(/.*: /, "")).sort()`
	p.Want(changes, `["10 (25.00%), +25.00 points", "30 (75.00%), +50.00 points", "40 (100.00%), +0.00 points", "40 (100.00%), +0.00 points"]`)
	p.Run(browser.Script(`document.getElementById("callers").click()`))
	p.Want(changes, `["10 (25.00%), +25.00 points", "10 (25.00%), +25.00 points", "30 (75.00%), +50.00 points", "30 (75.00%), +50.00 points", "40 (100.00%), +0.00 points"]`)
	if _, err := folded.Read(strings.NewReader("work 15\nwork\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2 is no stack") {
		t.Errorf("a line without a number: %v", err)
	}
}

// All that the mouse does with a flame graph the keyboard does: it goes from frame to frame, zooms,
// searches, and goes through what is found.
func TestKeyboard(t *testing.T) {
	p := show(t, sample(), nil)
	said := func(want string) {
		t.Helper()
		p.Want(`document.getElementById("details").textContent.slice(0, 20)`, `"`+want+`"`)
	}
	cursor := `(c => ["x", "y", "width"].map(a => Math.round(c.getAttribute(a))))(document.querySelector("#chart .cursor"))`
	p.Run(chromedp.KeyEvent(kb.Tab + kb.Tab + kb.Tab + kb.Tab + kb.Tab))
	p.Want(`document.activeElement.ariaRoleDescription`, `"flame graph"`)
	said("all: 40 (100.00%)")
	p.Run(chromedp.KeyEvent(kb.ArrowUp + kb.ArrowUp))
	said("vfs_read [kernel]: 3")
	p.Run(chromedp.KeyEvent(kb.ArrowLeft))
	said("</script><img src=x ")
	p.Run(chromedp.KeyEvent(kb.ArrowLeft)) // there is nothing
	said("</script><img src=x ")
	width := `document.querySelector("#chart svg").getAttribute("width")`
	p.Want(`[`+cursor+`[2], Math.round(`+width+` / 4)].every((n, _, list) => n === list[0])`, `true`)
	p.Run(chromedp.KeyEvent(kb.Enter)) // zoom: the frame is as wide as all
	p.Want(`[`+cursor+`[2], Math.round(`+width+`)].every((n, _, list) => n === list[0])`, `true`)
	p.Want(`document.querySelectorAll("g.frame").length`, `3`)
	p.Run(chromedp.KeyEvent(kb.Escape))
	p.Want(`document.querySelectorAll("g.frame").length`, `4`)
	p.Run(chromedp.KeyEvent(kb.ArrowDown))
	said("work [/bin/prog]: 40")

	// KeyEvent would type the slash even though the page takes the key.
	if _, err := chromedp.Call(p.Ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "/"}); err != nil {
		t.Fatal(err)
	}
	p.Run(chromedp.KeyEvent("VFS_"))
	p.Want(`[document.activeElement.id, document.activeElement.value]`, `["search", "VFS_"]`)
	said("found: 30 (75.00%)")
	p.Run(chromedp.KeyEvent(kb.Enter))
	p.Want(`document.activeElement.ariaRoleDescription`, `"flame graph"`)
	said("vfs_read [kernel]: 3")
	p.Run(chromedp.KeyEvent("n"))
	said("vfs_read [kernel]: 3")
	p.Run(chromedp.KeyEvent(kb.Escape))
	p.Want(`[document.getElementById("search").value, document.querySelectorAll("rect[fill='#e600e6']").length]`, `["", 0]`)
	p.Run(chromedp.KeyEvent("f", chromedp.KeyModifiers(kb.ModifierCtrl)))
	p.Want(`document.activeElement.id`, `"search"`)

	// Upside down, up is still up.
	p.Run(chromedp.KeyEvent(kb.Tab + " " + kb.Tab + kb.Tab + kb.Tab + kb.Home + kb.ArrowDown))
	said("work [/bin/prog]: 40")
	p.Want(cursor+`[1]`, `18`)
	p.Run(chromedp.KeyEvent(kb.ArrowUp))
	said("all: 40 (100.00%)")
}

// Reversed, what stands on a function are its callers.
func TestReversed(t *testing.T) {
	p := show(t, sample(), nil)
	p.Run(browser.Script(`document.getElementById("callers").click()`))
	p.Want(titles+`.map(t => t.replace(/ .*: /, " ")).sort()`, `["</script><img 10 (25.00%)", "all: 40 (100.00%)", "vfs_read 30 (75.00%)", "work 10 (25.00%)", "work 30 (75.00%)"]`)
	p.Run(browser.Script(`document.getElementById("search").value = "vfs"`), browser.Script(`document.querySelector("#chart svg").focus()`), chromedp.KeyEvent(kb.ArrowUp+kb.ArrowUp+kb.Enter))
	p.Run(browser.Script(`document.getElementById("callers").click()`))
	p.Want(titles+`.length`, `4`)
	p.Want(`document.querySelectorAll("rect[fill='#e600e6']").length`, `1`) // what is searched is found in the other graph, too
	p.Run(browser.Script(`document.querySelector("#chart svg").focus()`), chromedp.KeyEvent(kb.ArrowUp))
	p.Want(`document.getElementById("details").textContent.slice(0, 4)`, `"work"`)
}

// The graph follows the window's width.
func TestResized(t *testing.T) {
	p := show(t, sample(), nil)
	p.Run(chromedp.EmulateViewport(600, 900), chromedp.Sleep(100*time.Millisecond))
	p.Want(`[...document.querySelectorAll("svg, g.frame rect")].every(e => e.getAttribute("width") < 600)`, `true`)
}

// Of a graph that is higher than the window, the outermost functions are in it, below the controls.
func TestHigh(t *testing.T) {
	stacks := &profile.Profile{}
	var deep []profile.Frame
	for i := range 100 {
		deep = append(deep, profile.Frame{Name: fmt.Sprint("f", i)})
	}
	stacks.Leaf(deep).Self = 1
	p := show(t, stacks, nil)
	p.Run(chromedp.Sleep(100 * time.Millisecond))
	p.Want(`[...document.querySelectorAll("g.frame")].map(g => g.getBoundingClientRect()).filter(r => r.top > 0 && r.bottom <= innerHeight).length > 30`, `true`)
	root := `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector("g.frame[name=all]").getBoundingClientRect())`
	p.Want(root, `true`)
	p.Want(`document.getElementById("search").getBoundingClientRect().top >= 0`, `true`)
	p.Run(browser.Script(`document.getElementById("icicle").click()`), chromedp.Sleep(100*time.Millisecond))
	p.Want(root, `true`)
}

// titles is an expression for what the frames say when the mouse is on them.
const titles = `[...document.querySelectorAll("#chart title")].map(t => t.textContent)`

// show shows the page in Chromium.
func show(t *testing.T, p, baseline *profile.Profile) *browser.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(w, p, baseline, hostile); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return browser.Open(t, "file://"+file)
}
