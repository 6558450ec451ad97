// SPDX-License-Identifier: GPL-2.0-or-later

package library_test

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"gostap/elaborate/library"
	"gostap/translator/syntax"
)

// A brokenFS has a folder that is listed, but can't be opened.
type brokenFS struct {
	fstest.MapFS
	name string
	err  error
}

func (f brokenFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
	}
	return fs.ReadDir(f.MapFS, name)
}

// TestSubfolders has folders that are removed during the walk, or can't be read, as in /tmp: files in
// the others are found.
func TestSubfolders(t *testing.T) {
	files := fstest.MapFS{
		"a.stp":      {Data: []byte("function one() { return 1 }")},
		"gone/b.stp": {Data: []byte("function two() { return 2 }")},
		"z/c.stp":    {Data: []byte("function three() { return 3 }")},
	}
	for _, err := range []error{fs.ErrNotExist, fs.ErrPermission} {
		folder := library.FilesFolder("x", brokenFS{files, "gone", err})
		lib, diags := library.Load(&syntax.Env{}, folder)
		if len(diags) > 0 || !slices.Contains(lib.FunctionNames(), "one") || !slices.Contains(lib.FunctionNames(), "three") {
			t.Errorf("%v: %v", err, diags)
		}
		if _, diags := library.Load(&syntax.Env{}, library.FilesFolder("x", brokenFS{files, ".", err})); len(diags) == 0 {
			t.Errorf("%v of the folder itself: no complaint", err)
		}
	}
}
