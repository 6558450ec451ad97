// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func event(action, test string) string {
	return fmt.Sprintf(`{"Action":%q,"Test":%q}`+"\n", action, test)
}

func TestTable(t *testing.T) {
	const e2e = "TestKernels/6.12.1/"
	found, err := read(strings.NewReader(event("run", e2e+"many") + event("pass", e2e+"many") + event("fail", e2e+"order") +
		event("pass", e2e+"language") + event("skip", e2e+"debuginfo") + event("pass", "TestTorture/6.12.1/Removal") +
		event("pass", "TestLockdown/6.12.1/signing") + event("fail", "TestKernels/6.12.1") + event("pass", "TestOther/6.12.1/x")))
	if err != nil {
		t.Fatal(err)
	}
	old := "text\n" + begin + "| kernel | gone | timers | functions, returns |\n|---|---|---|---|\n" +
		"| 6.2.9 | ✓ 7 | ✓ 3 | – |\n| 6.12.1 | ✓ 7 | ✓ 4 | ✓ 9 |\n" + end + "more\n"
	got, err := update(old, found)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got, "\n")
	if lines[4] != "| 6.2.9 | – | – | ✓ 3 |"+strings.Repeat(" – |", 10) ||
		lines[5] != "| 6.12.1 | 1 of 2 | – | ✓ 4 |"+strings.Repeat(" – |", 7)+" ✓ 1 | ✓ 1 | ✓ 1 |" || lines[0] != "text" || lines[7] != "more" {
		t.Errorf("got:\n%s", got)
	}
	if _, err := update("text\n", found); err == nil {
		t.Error("a text without the comments")
	}
}

// TestScripts checks that every script in a column exists.
func TestScripts(t *testing.T) {
	for _, c := range columns {
		for _, name := range c.scripts {
			if _, err := os.Stat(filepath.Join("../../e2e/testdata", name+".txtar")); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestReadme checks that update does not change README's table without results.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if same, err := update(string(text), nil); err != nil || same != string(text) {
		t.Errorf("%v: make test-kernels has not written this table", err)
	}
	if !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(line, "| 6.12.") }) {
		t.Error("it has no kernels")
	}
}
