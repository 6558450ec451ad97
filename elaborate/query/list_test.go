// SPDX-License-Identifier: GPL-2.0-or-later

package query_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"gostap/elaborate/image"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

func TestList(t *testing.T) {
	t.Setenv("GOSTAP_DEBUGINFO", t.TempDir()) // which would add files and lines to points
	env := &syntax.Env{Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
	lib, diags := library.Load(env, library.Folder{FS: fstest.MapFS{
		"a.stp": {Data: []byte(`probe vm.read = kernel.function("vfs_read") { bytes = $count; __own = bytes; kind = "read" } probe vm.none = kernel.function("nosuch") { } probe again = vm { }`)},
	}, Path: "extra"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for _, release := range testkernel.Releases(t) {
		target := image.NewTarget(release, false)
		for _, c := range []struct {
			pattern string
			want    []string
		}{
			{`kernel.function("vfs_readv?"), kernel.function("vfs_read")`,
				[]string{`kernel.function("vfs_read") $file:struct file* $buf:char* $count:size_t $pos:loff_t*`}},
			{`kernel.function("vfs_read").return`,
				[]string{`kernel.function("vfs_read").return $return:ssize_t $file:struct file* $buf:char* $count:size_t $pos:loff_t*`}},
			{`vm.*`, []string{`vm.read bytes:long kind:string $file:struct file* $buf:char* $count:size_t $pos:loff_t*`}},
			{`vm.*.return`, []string{`vm.read.return bytes:long kind:string $return:ssize_t $file:struct file* $buf:char* $count:size_t $pos:loff_t*`}},
			{`again.re*`, []string{`again.read bytes:long kind:string $file:struct file* $buf:char* $count:size_t $pos:loff_t*`}},
			{`again.read.return`, []string{`again.read.return bytes:long kind:string $return:ssize_t $file:struct file* $buf:char* $count:size_t $pos:loff_t*`}},
			{`begin`, []string{`begin`}},
		} {
			points, diags := syntax.ParseProbePoint(c.pattern, env)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if got, _ := query.List(points, lib, target, true); !slices.Equal(spelled(got), c.want) {
				t.Errorf("%s: %s\n got  %q\n want %q", release, c.pattern, got, c.want)
			}
		}
	}
}

// spelled returns the output of -l or -L.
func spelled(list []query.Listed) []string {
	var lines []string
	for _, l := range list {
		lines = append(lines, l.String())
	}
	return lines
}
