// SPDX-License-Identifier: GPL-2.0-or-later

package stacks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A stack is gdb's or gostap's stack of one sample.
type stack struct {
	frames   []string // addresses, the innermost first
	complete bool     // up to the outermost frame
	text     string
}

// readGdb returns the output of frames.py, by TID PC SP; if a program is stopped at the same place
// again, in order.
func readGdb(t *testing.T, path string) map[string][]stack {
	stacks := map[string][]stack{}
	for _, line := range strings.Split(strings.TrimSpace(read(t, path)), "\n") {
		at, frames, _ := strings.Cut(line, ": ")
		s := stack{text: line}
		frames, s.complete = strings.CutSuffix(frames, " end")
		s.frames = strings.Fields(frames)
		stacks[at] = append(stacks[at], s)
	}
	return stacks
}

var frame = regexp.MustCompile(`(?m)^ (0x[0-9a-f]+)(?: : | \[|$)`)

// readGostap returns the output of sample.stp, in the same form.
func readGostap(t *testing.T, path string) map[string][]stack {
	stacks := map[string][]stack{}
	_, text, _ := strings.Cut(read(t, path), "begun\n")
	for _, sample := range strings.Split(text, "--\n") {
		at, text, _ := strings.Cut(sample, "\n")
		s := stack{text: text, complete: !strings.Contains(text, "(cut: ")}
		for _, m := range frame.FindAllStringSubmatch(text, -1) {
			s.frames = append(s.frames, m[1])
		}
		stacks[at] = append(stacks[at], s)
	}
	return stacks
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A result is the outcome of a comparison.
type result struct {
	pairs, distinct, equal, frames int
	gdbComplete, complete          int
	lone                           int // stacks of gdb for which gostap has none of the same thread at the same place
	differences                    []string
}

// count compares gdb's stacks with gostap's of the same thread, instruction and stack pointer. Stacks
// deeper than gostap's limit are equal if they are so up to the limit.
func count(gdb, gostap map[string][]stack) result {
	var r result
	seen := map[string]bool{}
	for at, list := range gdb {
		for i, want := range list {
			if i >= len(gostap[at]) {
				r.lone++
				continue
			}
			got := gostap[at][i]
			r.pairs++
			r.frames += len(want.frames)
			if key := strings.Join(want.frames, " "); !seen[key] {
				seen[key] = true
				r.distinct++
			}
			if want.complete {
				r.gdbComplete++
			}
			if got.complete {
				r.complete++
			}
			if slices.Equal(got.frames, want.frames[:min(len(want.frames), deepest)]) {
				r.equal++
			} else {
				r.differences = append(r.differences, fmt.Sprintf("gdb: %s\ngostap:\n%s", want.text, got.text))
			}
		}
	}
	slices.Sort(r.differences)
	return r
}

// Differences are counted, stacks without a counterpart are not compared.
func TestCount(t *testing.T) {
	gdb := map[string][]stack{
		"1 0x1 0x2": {{frames: []string{"0x1", "0x5"}, complete: true}, {frames: []string{"0x1", "0x6"}}},
		"1 0x3 0x2": {{frames: []string{"0x3"}}},
	}
	gostap := map[string][]stack{
		"1 0x1 0x2": {{frames: []string{"0x1", "0x5"}, complete: true}, {frames: []string{"0x1", "0x7"}, complete: true}},
	}
	r := count(gdb, gostap)
	if r.pairs != 2 || r.equal != 1 || r.lone != 1 || r.distinct != 2 || r.complete != 2 || r.gdbComplete != 1 || len(r.differences) != 1 {
		t.Errorf("%+v", r)
	}
}

// Frames without a symbol count, and truncated stacks are not complete.
func TestReadGostap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sampled")
	const text = "begun\n7 0x1 0x2\n 0x1 : f+0x1/0x2 [/bin/x]\n 0x5 [/bin/x+0x5]\n 0x9\n (cut: it is deeper)\n--\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got := readGostap(t, path)["7 0x1 0x2"]
	if len(got) != 1 || strings.Join(got[0].frames, " ") != "0x1 0x5 0x9" || got[0].complete {
		t.Errorf("%+v", got)
	}
}
