// SPDX-License-Identifier: GPL-2.0-or-later

package library_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/translator/syntax"
)

// A readFS records the .stp files that are read.
type readFS struct {
	fstest.MapFS
	read []string
}

func (f *readFS) ReadFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".stp") {
		f.read = append(f.read, name)
	}
	return fs.ReadFile(f.MapFS, name)
}

// libraryFiles is a library whose names depend on the preprocessor's environment.
var libraryFiles = map[string]string{
	"a.stp": `function one() { return two() } private function hidden() { return 1 } @both(none)`,
	"b.stp": `function two() { return 2 } function two(x) { return x } probe other = end { println("b") }`,
	"c.stp": `function two(x, y) { return y } global counted`,
	"kernel.stp": `%( kernel_v >= "6.5" %? function young() { return 1 } %: function old() { return 1 } %)
		%( CONFIG_X == "y" %? function configured() { return 1 } %)`,
	"broken.stp": `function incomplete() { return`,
	"warned.stp": `@define cast %( 1 %) function warned() { return 1 }`,
	"points.stp": `probe p.one = begin { println("1") } probe p.one.deep = end { println("deep") }
		probe p.two("x.y") = end { println("2") } probe p.three = p.one, other { println("3") }`,
	"m.stpm": `@define both(name) %( function @name %)`,
}

func libraryFS(files map[string]string) *readFS {
	f := &readFS{MapFS: fstest.MapFS{}}
	for name, text := range files {
		f.MapFS[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return f
}

// TestLibraryIndex: a library that is opened again by its index is the same, and only the files that a
// script refers to are read.
func TestLibraryIndex(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	files := map[string]string{}
	for name, text := range libraryFiles {
		files[name] = strings.Replace(text, "@both(none)", "", 1)
	}
	env := func(kernel, config string, args ...string) *syntax.Env {
		return &syntax.Env{KernelVR: kernel, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8", Args: args,
			Config: func(string) string { return config }}
	}
	open := func(env *syntax.Env, version string) (string, *readFS, *library.Library) {
		folder := libraryFS(files)
		lib, diags := library.Open(env, library.Folder{FS: folder, Path: "lib", Version: version})
		names := append(lib.FunctionNames(), lib.AliasNames()...)
		slices.Sort(names)
		return fmt.Sprint(names, "\n", diags, "\n"), folder, lib
	}
	for _, c := range []struct{ kernel, config, has, hasNot string }{
		{"6.1.0", "y", "configured old one", "young"},
		{"6.12.0", "y", "configured one", "old"},
		{"6.12.0", "n", "one", "configured"},
		{"6.12.0", "y", "configured one", "old"},
	} {
		for _, version := range []string{"1", ""} {
			first, _, _ := open(env(c.kernel, c.config), version)
			again, folder, _ := open(env(c.kernel, c.config), version)
			if first != again {
				t.Errorf("first\n%sthen\n%s", first, again)
			}
			if !strings.Contains(first, c.has) || strings.Contains(first, c.hasNot) || !strings.Contains(first, "broken.stp") || strings.Contains(first, "incomplete") {
				t.Errorf("%s %s: %s", c.kernel, version, first)
			}
			if got, want := fmt.Sprint(folder.read), "[broken.stp warned.stp]"; version != "" && got != want {
				t.Errorf("read are %s, not %s", got, want)
			}
		}
	}
	for script, want := range map[string]string{
		`probe begin { println(one()) }`:          "a.stp b.stp c.stp",
		`probe begin { counted++ }`:               "c.stp",
		`probe p.* { }`:                           "b.stp points.stp",
		`probe p.three { }`:                       "b.stp points.stp",
		`probe *ther { }`:                         "b.stp",
		`probe begin { println(hidden()) }`:       "",
		`function one() {} probe begin { one() }`: "",
	} {
		_, folder, lib := open(env("6.12.0", "y"), "1")
		folder.read = nil
		file, diags := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte(script)}, env("6.12.0", "y"))
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		if _, diags := elaborate.Elaborate([]*syntax.File{file}, lib, image.NewTarget("", false)); len(diags) > 0 {
			t.Errorf("%s: %v", script, diags)
		}
		slices.Sort(folder.read)
		if got := strings.Join(folder.read, " "); got != want {
			t.Errorf("%s: read are %q, not %q", script, got, want)
		}
	}

	// Macros and arguments are taken into account.
	before, _, _ := open(env("6.12.0", "y"), "")
	files["m.stpm"] = `@define both(name) %( function new() { return 1 } %)`
	files["a.stp"] += " @both(none)"
	if after, _, _ := open(env("6.12.0", "y"), ""); !strings.Contains(after, "new") || strings.Contains(before, "new") {
		t.Errorf("with new: %s", after)
	}
	files["args.stp"] = `%( $# > 0 %? function $1() { return 1 } %)`
	for _, name := range []string{"this", "that", "this"} {
		if got, _, _ := open(env("6.12.0", "n", name), ""); !strings.Contains(got, name) {
			t.Errorf("with the argument %s: %s", name, got)
		}
	}
}

// TestDerived: data derived from a folder's files are computed once.
func TestDerived(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	made := 0
	for range 2 {
		lib, _ := library.Open(&syntax.Env{}, library.Folder{FS: libraryFS(libraryFiles), Path: "lib", Version: "1"})
		key, text := lib.Derived("lib", "names", func(files []*syntax.File) []byte {
			made++
			var names []string
			for _, f := range files {
				names = append(names, f.Source.Path)
			}
			return []byte(strings.Join(names, " "))
		})
		if want := "lib/b.stp lib/c.stp lib/kernel.stp lib/points.stp lib/warned.stp"; string(text()) != want || len(key) != 64 {
			t.Errorf("%q with key %q, not %q", text(), key, want)
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

// TestFilesFolder: files on disk are identified by their times, unless these are too recent.
func TestFilesFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(text string, ago time.Duration) string {
		name := filepath.Join(dir, "a.stp")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-ago)
		if err := os.Chtimes(name, then, then); err != nil {
			t.Fatal(err)
		}
		return library.FilesFolder(dir, os.DirFS(dir)).Version
	}
	now, old, older := write("global a", 0), write("global b", time.Hour), write("global c", 2*time.Hour)
	if now != "" || old == "" || old == older {
		t.Errorf("versions %q, %q, %q", now, old, older)
	}
}

// TestFallback: a file of a fallback folder is used if it declares nothing that the library has.
func TestFallback(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for range 2 {
		lib, diags := library.Open(&syntax.Env{},
			library.Folder{FS: libraryFS(map[string]string{"a.stp": "function f() { return 1 } probe p.a = end { }"}), Path: "lib"},
			library.Folder{Path: "others", Fallback: true, FS: libraryFS(map[string]string{
				"f.stp": "function f() { return 2 } function g() { return 2 }", "p.stp": "probe p.a = begin { } probe q.x = begin { }",
				"new.stp": "function h() { return 2 } probe p.b = begin { }", "bad.stp": "function i() {"}),
			})
		names := append(lib.FunctionNames(), lib.AliasNames()...)
		slices.Sort(names)
		if got := fmt.Sprint(names, diags); got != "[f h p.a p.b] " {
			t.Errorf("%q", got)
		}
	}
}

// TestDoc: the comment before a function or an alias is its documentation.
func TestDoc(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for range 2 {
		lib, diags := library.Open(&syntax.Env{KernelVR: "6.1"}, library.Folder{Version: "1", Path: "lib", FS: libraryFS(map[string]string{"a.stp": `
/** f(a) is it:
    two lines. */
function f:long (a:long, b) { return a }

/**
 * sfunction g - does something
 * @x: what
 *
 * Description: and more.
 */
%( kernel_v >= "6" %? function g(x) %{ %} %)
/** hidden. */
private function h() { return 1 }
/* no documentation */
function i() { return 1 }
/** probe p.q - when it happens */
probe p.q = begin { }
`})})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		var got strings.Builder
		for _, pattern := range []string{"f", "g", "h", "i", "p.*", "**"} {
			for _, d := range lib.Doc(pattern) {
				fmt.Fprintf(&got, "%s: %s: %q\n", pattern, d.Signature, d.Text)
			}
		}
		want := `f: function f:long (a:long, b): "f(a) is it:\ntwo lines."
g: function g (x): "sfunction g - does something\n@x: what\n\nDescription: and more."
i: function i (): ""
p.*: probe p.q: "probe p.q - when it happens"
**: function f:long (a:long, b): "f(a) is it:\ntwo lines."
**: function g (x): "sfunction g - does something\n@x: what\n\nDescription: and more."
**: function i (): ""
**: probe p.q: "probe p.q - when it happens"
`
		if got.String() != want {
			t.Errorf("got\n%swant\n%s", got.String(), want)
		}
	}
}
