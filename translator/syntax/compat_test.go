// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fetched returns the root directory of path: / if the machine has it, or else one into which the
// Debian package that contains it has been unpacked.
func fetched(t *testing.T, pkg, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if testing.Short() {
		t.Skipf("%s is not there, and -short fetches no package", path)
	}
	dir := t.TempDir()
	for _, args := range [][]string{
		{"apt-get", "download", "-q", pkg},
		{"sh", "-c", "dpkg-deb -x " + pkg + "_*.deb ."},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s is not there, and the package %s can't be fetched: %s: %s\n%s", path, pkg, strings.Join(args, " "), err, out)
		}
	}
	return filepath.Join(dir, path)
}

// filesBelow returns the files below dir with the extension.
func filesBelow(t *testing.T, dir, ext string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ext && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// libraryEnv is testEnv with the macros of SystemTap's library for this
// architecture and kernel.
func libraryEnv(t *testing.T, tapsets string) *Env {
	t.Helper()
	env := testEnv()
	env.Macros = NewMacros()
	for _, path := range filesBelow(t, tapsets, ".stpm") {
		dir, _ := filepath.Rel(tapsets, filepath.Dir(path))
		if dir == "bpf" || dir == "dyninst" {
			continue // for other runtimes
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diags := env.Macros.Load(&Source{Path: path, Text: text, Origin: Macros}, env); diags.Err() != nil {
			t.Errorf("%s", diags)
		}
	}
	return env
}

// exampleArgs are the arguments of the examples that do not work with "begin" for each.
var exampleArgs = map[string][]string{
	"measureinterval.stp": {"begin", "tid()", "@avg", "end"},
	"watchdog.stp":        {"begin", "end", "100"},
	"iostat-scsi.stp":     {"5"},
	"errsnoop.stp":        {"5", "20"},
	"periodic.stp":        {"5"},
}

// TestExamples parses, prints and formats SystemTap's examples.
func TestExamples(t *testing.T) {
	tapsets := fetched(t, "systemtap-common", "/usr/share/systemtap/tapset")
	examples := fetched(t, "systemtap-doc", "/usr/share/systemtap/examples")
	env := libraryEnv(t, tapsets)
	env.Guru = true
	files := filesBelow(t, examples, ".stp")
	tutorial := filepath.Join(examples, "../../doc/systemtap/examples")
	files = append(files, filesBelow(t, tutorial, ".stp")...)
	if len(files) < 200 {
		t.Errorf("found %d examples, expected 200 at least", len(files))
	}
	for _, path := range files {
		name := filepath.Base(path)
		if name == "security-bandaid-template.stp" {
			continue // contains "probe … {...}" to be filled in; stap rejects it too
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		e := *env
		e.Args = exampleArgs[name]
		if e.Args == nil {
			e.Args = []string{"begin", "begin", "begin", "begin", "begin"}
		}
		checkInvariants(t, &Source{Path: path, Text: text}, &e)
	}
	t.Logf("%d examples", len(files))
}

// TestTapsets does the same with SystemTap's own library.
func TestTapsets(t *testing.T) {
	tapsets := fetched(t, "systemtap-common", "/usr/share/systemtap/tapset")
	env := libraryEnv(t, tapsets)
	files := filesBelow(t, tapsets, ".stp")
	if len(files) < 300 {
		t.Errorf("found %d tapset files, expected 300 at least", len(files))
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkInvariants(t, &Source{Path: path, Text: text, Origin: Tapset}, env)
	}
	t.Logf("%d files", len(files))
}
