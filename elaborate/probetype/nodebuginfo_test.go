// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
)

// TestNoDebuginfo: dpkg is run once to find a program's package, when the first of its functions' errors
// is shown, as it takes a quarter of a second.
func TestNoDebuginfo(t *testing.T) {
	path := compiled.Program(t, "int one(int a) { return a; } int two(int a) { return one(a); } int three(int a) { return two(a); } int main(void) { return three(0); }", "-O0")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dpkg"), fmt.Appendf(nil, "#!/bin/sh\necho asked >>%s/asked\necho libc6:amd64: %s\n", dir, path), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).function(\"*\") { println($a) }", path))
	if diags != nil {
		t.Fatal(diags)
	}
	if _, err := os.Stat(filepath.Join(dir, "asked")); !os.IsNotExist(err) {
		t.Errorf("dpkg was asked before an error was shown: %v", err)
	}
	unknown := 0
	for _, p := range e.Probes {
		for _, v := range p.Values {
			if v.Err != nil && strings.Contains(v.Err.Advice(), "libc6-dbg") {
				unknown++
			}
		}
	}
	if unknown == 0 {
		t.Error("all values are known")
	}
	asked, _ := os.ReadFile(filepath.Join(dir, "asked"))
	if n := strings.Count(string(asked), "asked"); n != 1 {
		t.Errorf("dpkg was asked %d times", n)
	}
}

// TestNoDebuginfoResult: the hint is about results.
func TestNoDebuginfoResult(t *testing.T) {
	path := compiled.Program(t, "int main(void) { return 0; }", "-O0")
	e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).function(\"main\").return { println($return) }", path))
	if diags != nil {
		t.Fatal(diags)
	}
	for _, v := range e.Probes[0].Values {
		if v.Err == nil || !strings.Contains(v.Err.Hint, "returnval()") {
			t.Errorf("%+v", v.Err)
		}
	}
}
