// SPDX-License-Identifier: GPL-2.0-or-later

package flamegraph

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/output/folded"
	"gostap/output/profile"
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
	dom := show(t, sample(), nil, "all: 40 (100.00%)", "work [/bin/prog]: 40 (100.00%)", "vfs_read [kernel]: 30 (75.00%)", ": 10 (25.00%)")
	if strings.Contains(dom, "<img") || strings.Contains(dom, "<title>run") {
		t.Error("a name has become markup")
	}
}

// With a baseline, a frame shows by how many percentage points its share has changed: of 40 and 60, 30
// and 50 in vfs_read.
func TestBaseline(t *testing.T) {
	base, err := folded.Read(strings.NewReader("work;vfs_read_[k] 15\nwork 15\n\nwork;other 30\n"))
	if err != nil {
		t.Fatal(err)
	}
	show(t, sample(), base, "work [/bin/prog]: 40 (100.00%), +0.00 points", "vfs_read [kernel]: 30 (75.00%), +50.00 points", ": 10 (25.00%), +25.00 points")
	if _, err := folded.Read(strings.NewReader("work 15\nwork\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2 is no stack") {
		t.Errorf("a line without a number: %v", err)
	}
}

// show returns the page's DOM in Chromium when the labels are in the frames.
func show(t *testing.T, p, baseline *profile.Profile, labels ...string) string {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium: apt-get install chromium")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
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
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--virtual-time-budget=2000", "--dump-dom", "file://"+file)
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", cmd, err)
	}
	dom := string(out)
	chart := dom[strings.Index(dom, `<div id="chart">`)+1:]
	for _, label := range labels {
		if !strings.Contains(chart, label) {
			t.Errorf("no frame says %q", label)
		}
	}
	if t.Failed() {
		t.Log(chart[:min(len(chart), 4000)])
	}
	return dom
}
