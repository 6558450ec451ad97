// SPDX-License-Identifier: GPL-2.0-or-later

package language_test

import (
	"os"
	"strings"
	"testing"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/translator/check"
	"gostap/translator/syntax"
)

// TestVerdicts compares what passes 1 and 2 say of small scripts, called as stap, with what stap 4.8 has
// been seen to say: in each line of verdicts.txt "ok", or the pass that finds an error, a tab, and the
// script.
func TestVerdicts(t *testing.T) {
	text, err := os.ReadFile("verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	env := &syntax.Env{KernelVR: "6.1.0", Arch: "x86_64", Runtime: "kernel", Privilege: "stapdev", StapVersion: "4.8"}
	lib, diags := library.Open(env, library.Folder{FS: tapsets.FS, Path: "<tapset>", Version: "verdicts " + t.TempDir()})
	if diags.Err() != nil {
		t.Fatal(diags)
	}
	asked := 0
	for n, line := range strings.Split(string(text), "\n") {
		want, script, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		asked++
		if got, diags := verdict(env, lib, script); got != want {
			t.Errorf("verdicts.txt:%d: %s, not %s: %s\n%v", n+1, got, want, script, diags)
		}
	}
	if asked < 500 {
		t.Errorf("verdicts.txt has only %d scripts", asked)
	}
}

// verdict is "ok", or the pass that finds an error in a script.
func verdict(env *syntax.Env, lib *library.Library, script string) (string, syntax.Diagnostics) {
	file, diags := syntax.Parse(&syntax.Source{Path: "<input>", Text: []byte(script)}, env)
	if diags.Err() != nil {
		return "1", diags
	}
	target := image.NewTarget("", false)
	target.AsStap = true
	elaborated, diags := elaborate.Elaborate([]*syntax.File{file}, lib, target)
	if diags.Err() != nil {
		return "2", diags
	}
	_, diags = check.Check(elaborated, check.Options{
		AsStap: true, Functions: lib.FunctionNames(),
		Builtin: func(src *syntax.Source) bool { return strings.HasPrefix(src.Path, "<tapset>") },
	})
	if diags.Err() != nil {
		return "2", diags
	}
	return "ok", nil
}
