// SPDX-License-Identifier: GPL-2.0-or-later

package e2e

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gostap/tests/browser"
	"gostap/tests/guest"
)

// TestPages looks at pages of sessions in a browser: a CPU profile, an off-CPU profile, a heat map of a
// disk's latencies, and a table of who reads most. What they must show is known. The guest's clocks
// count instructions, so that a busy host changes no figure.
//
// With KEEP in the environment, the pages and pictures of them, light and dark, are left in that folder.
func TestPages(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	dir, pages := guest.Prepare(t), os.Getenv("KEEP")
	if pages == "" {
		pages = t.TempDir()
	}
	for _, release := range guest.OneOf(guest.Releases(t), 1) {
		warm(t, dir, release, "^pages$")
		t.Run(release, func(t *testing.T) {
			guest.Run(t, guest.Config{
				Release: release,
				Dir:     dir,
				Test:    "TestGuest",
				Run:     "pages",
				Shared:  pages,
				Env:     []string{"PAGES=" + pages, "LIMIT=" + scriptLimit(t).String()},
				ICount:  true,
				Timeout: timeLeft(t),
			})
			if t.Failed() {
				return
			}
			t.Run("cpu", func(t *testing.T) {
				p := openPage(t, filepath.Join(pages, "cpu.html"))
				shares(t, p, map[string]float64{"half": 50, "kernel_part": 10, "three": 30, "fifth": 20})
				wantStack(t, p, `;main;half;kernel_part;.*read;entry_SYSCALL_64_after_hwframe;do_syscall_64;.*vfs_read;`)
				// The table says what the flame graph says.
				p.Want(`(total => Math.abs(total("half") / total("main") - .5) < .02)(name =>
					Number([...document.querySelectorAll("#stacks tbody tr")].find(r => r.cells[0].textContent === name).cells[4].textContent))`, `true`)
			})
			t.Run("off", func(t *testing.T) {
				p := openPage(t, filepath.Join(pages, "off.html"))
				shares(t, p, slept(t, filepath.Join(pages, "took")))
				wantStack(t, p, `;main;three_naps;nap;.*nanosleep;.*;do_nanosleep;schedule;`)
				wantStack(t, p, `;main;pause_once;.*poll;entry_SYSCALL_64_after_hwframe;`)
			})
			t.Run("disks", func(t *testing.T) {
				p := openPage(t, filepath.Join(pages, "disks.html"))
				disk := `data.series.find(s => s.title === "@hist_log(took): sda, us:")`
				p.Want(`[...document.querySelectorAll("#series section")].filter(s => s.querySelector("h3").textContent.includes("sda") && s.querySelectorAll("svg.heat rect").length > 6).length`, `1`)
				// 300 requests took 512 to 1023 us, and 300 after them 2048 to 4095.
				p.Want(`(s => [512, 2048].map(us => s.columns.reduce((sum, c) => sum + c[65 + Math.log2(us) - s.first], 0)).map(n => n >= 300 && n < 330))(`+disk+`)`, `[true, true]`)
				p.Want(`(s => s.columns.filter(c => d3.max(c) > 30).map(c => bucketLabel({}, s.first + c.indexOf(d3.max(c)))).filter((l, i, list) => l !== list[i - 1]).join())(`+disk+`)`, `"512,2048"`)
			})
			t.Run("top", func(t *testing.T) {
				p := openPage(t, filepath.Join(pages, "top.html"))
				p.Want(`[...document.querySelectorAll("#globals tbody tr")].map(r => [...r.cells].map(c => c.textContent)).filter(r => r[0] === "dd")`,
					`[["dd", "100", "500", "100", "50000"], ["dd", "1000", "400", "1000", "400000"]]`)
				p.Want(`document.querySelector("#output pre").textContent.split("\n").filter(l => l.startsWith("dd"))[0].split(/ +/)`, `["dd", "1000", "400", "400000"]`)
			})
		})
	}
}

// openPage opens a page and, if it is kept, takes pictures of it.
func openPage(t *testing.T, file string) *browser.Page {
	t.Helper()
	p := browser.Open(t, "file://"+file)
	if os.Getenv("KEEP") == "" {
		return p
	}
	for _, scheme := range []string{"dark", "light"} {
		_, err := chromedp.Call(p.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err != nil {
			t.Fatal(err)
		}
		picture, err := chromedp.Run(p.Ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fmt.Sprintf("%s-%s.png", strings.TrimSuffix(file, ".html"), scheme), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// stacks is an expression for the page's stacks, as [";a;b;", count].
const stacks = `(function walk(n, path, list) {
	const calls = n.children || [], self = calls.reduce((rest, c) => rest - c.value, n.value);
	if (self) list.push([path + ";", self]);
	calls.forEach(c => walk(c, path + ";" + c.name, list));
	return list;
})(unfold((s => s.stacks || s)(JSON.parse(document.getElementById("data").textContent))), "", [])`

// shares compares the shares of functions in main with the known ones, in percent.
func shares(t *testing.T, p *browser.Page, known map[string]float64) {
	t.Helper()
	list, err := chromedp.Run(p.Ctx, chromedp.Evaluate[[][2]any](stacks))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]float64{}
	for _, s := range list {
		stack, count := s[0].(string), s[1].(float64)
		for _, f := range append(slices.Collect(maps.Keys(known)), "main") {
			if strings.Contains(stack, ";main;") && strings.Contains(stack, ";"+f+";") {
				by[f] += count
			}
		}
	}
	for f, want := range known {
		have := 100 * by[f] / by["main"]
		t.Logf("%s: %.2f%% of %.0f, known %.2f%%", f, have, by["main"], want)
		if !(math.Abs(have-want) <= 2) {
			t.Errorf("%s has %.2f%%, not %.2f%%", f, have, want)
		}
	}
}

// slept returns the shares in what shares(1) has printed: NAME MICROSECONDS …
func slept(t *testing.T, file string) map[string]float64 {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]float64{}
	all := 0.0
	for fields := strings.Fields(string(text)); len(fields) >= 2; fields = fields[2:] {
		var us float64
		fmt.Sscan(fields[1], &us)
		list[fields[0]] = us
		all += us
	}
	for name := range list {
		list[name] *= 100 / all
	}
	return list
}

// wantStack fails if no stack matches a pattern.
func wantStack(t *testing.T, p *browser.Page, pattern string) {
	t.Helper()
	p.Want(stacks+`.some(([s]) => /`+pattern+`/.test(s))`, `true`)
}
