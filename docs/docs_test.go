// SPDX-License-Identifier: GPL-2.0-or-later

package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gostap/elaborate/probetype"
	"gostap/translator/emit"
)

// What a message says must stand in the source: each of its fixed parts in one piece.
func TestErrorsExist(t *testing.T) {
	var source strings.Builder
	for _, dir := range folders {
		err := filepath.WalkDir("../"+dir, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || strings.HasSuffix(path, "_test.go") || ext != ".go" && ext != ".c" && ext != ".h" {
				return err
			}
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// A message may be put together of several strings.
	all := regexp.MustCompile(`"\s*\+?\s*"`).ReplaceAllString(source.String(), "")
	_, list := Errors()
	if len(list) < 40 {
		t.Fatalf("%d messages", len(list))
	}
	for _, e := range list {
		if e.Text == "" || e.Chapter == "" {
			t.Errorf("%+v", e)
		}
		for part := range strings.SplitSeq(e.Name, "…") {
			if part = strings.Trim(part, " "); len(part) > 3 && !strings.Contains(all, part) {
				t.Errorf("%s: nothing in gostap says %q", e.Name, part)
			}
		}
	}
}

// Each kind of probe point has its entry, and each limit its row.
func TestComplete(t *testing.T) {
	_, list := Probes()
	var names strings.Builder
	for _, p := range list {
		names.WriteString(" " + p.Name)
		if p.Text == "" {
			t.Errorf("%s: nothing is said", p.Name)
		}
	}
	for _, pattern := range probetype.Patterns() {
		for part := range strings.SplitSeq(pattern, ".") {
			part, _, _ = strings.Cut(part, "(")
			known := regexp.MustCompile(`[ .]` + regexp.QuoteMeta(part) + `\b`).MatchString(names.String())
			if !known && !strings.HasPrefix(pattern, "perf.hw.") && !strings.HasPrefix(pattern, "perf.sw.") && !strings.HasPrefix(pattern, "timer.") {
				t.Errorf("%s: %s is nowhere in PROBES.md", pattern, part)
			}
		}
	}
	known := map[string]bool{}
	for _, l := range Limits() {
		known[l.Name] = true
	}
	for _, name := range emit.LimitNames() {
		if !known[name] {
			t.Errorf("the limit %s is not in LIMITS.md", name)
		}
	}
}
