// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// panicking runs f, which must panic, and returns the position in the error.
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

// TestPanics: an error made of a panic has the position in the script, even from another goroutine.
func TestPanics(t *testing.T) {
	release := testkernel.Releases(t)[0]
	target := image.NewTarget(release, false)
	file, diags := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte("probe begin { }\n" + `probe kernel.function("vfs_read") { println(1) }`)}, &syntax.Env{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	file.Decls[1].(*syntax.ProbeDecl).Points[0].Components = nil
	empty, _ := library.Load(&syntax.Env{})
	if at := panicking(t, func() { elaborate.Elaborate([]*syntax.File{file}, empty, target) }); at != "test.stp:2:7" {
		t.Errorf("Elaborate was at %q", at)
	}
	points, _ := syntax.ParseProbePoint(`kernel.function("vfs_read")`, &syntax.Env{})
	points[0].Components = nil
	if at := panicking(t, func() { query.List(points, empty, target, true) }); at != "<probe point>:1:1" {
		t.Errorf("List was at %q", at)
	}
	if at := panicking(t, func() { query.Vars(points, empty, target) }); at != "<probe point>:1:1" {
		t.Errorf("Vars was at %q", at)
	}
	folder := library.Folder{FS: fstest.MapFS{"a.stp": {Data: []byte("global a\n%( CONFIG_X == \"y\" %? global b %)")}}, Path: "lib"}
	env := &syntax.Env{Config: func(string) string { panic("config") }}
	if at := panicking(t, func() { library.Load(env, folder) }); at != "lib/a.stp:2:1" {
		t.Errorf("Load was at %q", at)
	}
}
