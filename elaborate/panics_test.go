// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"errors"
	"testing"
	"testing/fstest"

	"gostap/elaborate/btf"
	"gostap/elaborate/internal/testkernel"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// panicking runs f, which is to panic, and returns the place that it was at.
func panicking(t *testing.T, f func()) string {
	t.Helper()
	err := func() (err error) {
		defer panics.Catch(&err)
		f()
		return nil
	}()
	var e *panics.Error
	if !errors.As(err, &e) {
		t.Fatalf("no panic, but %v", err)
	}
	if e.Place == nil {
		return ""
	}
	return e.Place.String()
}

// TestPanics: what panics tells where in the script it was, be it in another goroutine.
func TestPanics(t *testing.T) {
	release := testkernel.Releases(t)[0]
	broken := NewTarget(release, false)
	broken.types = func() (*btf.Spec, error) { panic("types") }
	file, diags := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte("probe begin { }\n" + `probe kernel.function("vfs_read") { println(1, @cast(1, "file")->f_pos) }`)}, &syntax.Env{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	empty, _ := LoadLibrary(&syntax.Env{})
	if at := panicking(t, func() { Elaborate([]*syntax.File{file}, empty, broken) }); at != "test.stp:2:48" {
		t.Errorf("Elaborate was at %q", at)
	}
	points, _ := syntax.ParseProbePoint(`kernel.function("vfs_read")`, &syntax.Env{})
	if at := panicking(t, func() { List(points, empty, broken, true) }); at != "<probe point>:1:1" {
		t.Errorf("List was at %q", at)
	}
	if at := panicking(t, func() { Vars(points, empty, broken) }); at != "<probe point>:1:1" {
		t.Errorf("Vars was at %q", at)
	}
	library := Folder{fstest.MapFS{"a.stp": {Data: []byte("global a\n%( CONFIG_X == \"y\" %? global b %)")}}, "lib"}
	env := &syntax.Env{Config: func(string) string { panic("config") }}
	if at := panicking(t, func() { LoadLibrary(env, library) }); at != "lib/a.stp:2:1" {
		t.Errorf("LoadLibrary was at %q", at)
	}
}
