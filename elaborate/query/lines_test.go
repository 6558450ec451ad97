// SPDX-License-Identifier: GPL-2.0-or-later

package query_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func TestLines(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	target := image.NewTarget(release, false)
	list, err := query.Lines(target, "vfs_read@fs/read_write.c", nil)
	if err != nil || len(list) != 1 || list[0].Name != "vfs_read" || len(list[0].Lines) < 10 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, l := range list[0].Lines {
		if l.Places != 1 && l.Text == "" {
			t.Errorf("without the source line %d is shown, with %d places", l.Line, l.Places)
		}
	}
	// With a source, lines without code are shown, too.
	dir := t.TempDir()
	var text strings.Builder
	for n := 1; n < 3000; n++ {
		fmt.Fprintf(&text, "text %d\n", n)
	}
	if err := os.Mkdir(filepath.Join(dir, "fs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fs/read_write.c"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	more, err := query.Lines(target, "fs/read_write.c", []string{dir})
	if err != nil || len(more) < 50 {
		t.Fatalf("%d functions, %v", len(more), err)
	}
	for _, f := range more {
		for i, l := range f.Lines {
			if l.Text != fmt.Sprint("text ", l.Line) || l.Line != f.Line+i {
				t.Fatalf("%s: %+v", f.Name, l)
			}
		}
	}
	if _, err := query.Lines(target, "no_such_function", nil); err == nil || !strings.Contains(err.Error(), "no function or file") {
		t.Errorf("got %v", err)
	}
}

// The lines of a program's functions, of C++ here, by any of their names.
func TestProgramLines(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.cc"), filepath.Join(dir, "prog")
	text := "namespace ns {\nstruct C { int m(int); };\nint C::m(int n)\n{\n\treturn n + 1;\n}\n}\nint main() { ns::C c; return c.m(1); }\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-g", "-O0", "-o", program, source).CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, out)
	}
	t.Setenv("GOSTAP_CACHE", filepath.Join(dir, "cache"))
	for _, name := range []string{"ns::C::m", "m", "C::m(int)"} {
		list, err := query.ProgramLines(image.NewTarget("", false), name, program, nil)
		if err != nil || len(list) != 1 || list[0].Name != "ns::C::m" || list[0].Line != 3 {
			t.Fatalf("%s: %+v, %v", name, list, err)
		}
		if l := list[0].Lines[2]; l.Line != 5 || l.Places == 0 || l.Text != "\treturn n + 1;" {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if _, err := query.ProgramLines(image.NewTarget("", false), "none", program, nil); err == nil || !strings.Contains(err.Error(), "no function or file") {
		t.Errorf("got %v", err)
	}
}

func TestVarsOfPoints(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
	lib, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	points, diags := syntax.ParseProbePoint(`kernel.statement("vfs_read@fs/read_write.c:*")`, env)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	list, diags := query.Vars(points, lib, image.NewTarget(release, false))
	if diags.Err() != nil || len(list) < 10 {
		t.Fatalf("%d points, %v", len(list), diags)
	}
	here, gone := 0, 0
	for _, p := range list {
		var names []string
		for _, v := range p.Variables {
			names = append(names, v.Name)
			switch {
			case v.Here && v.Why == "":
				here++
			case !v.Here && v.Why != "":
				gone++
			default:
				t.Errorf("%s: %+v", p.Point, v)
			}
		}
		if got := strings.Join(names, " "); got != "file buf count pos ret" {
			t.Errorf("%s has %s", p.Point, got)
		}
	}
	if here == 0 || gone == 0 {
		t.Errorf("%d variables have values, %d have none", here, gone)
	}
}
