// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate_test

import (
	"testing"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func benchmarkElaborate(b *testing.B, script string) {
	release := testkernel.Releases(b)[0]
	for b.Loop() {
		env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
		lib, _ := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
		file, _ := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte(script)}, env)
		if _, diags := elaborate.Elaborate([]*syntax.File{file}, lib, image.NewTarget(release, false)); diags.Err() != nil {
			b.Fatal(diags)
		}
	}
}

func BenchmarkHello(b *testing.B) {
	benchmarkElaborate(b, `probe begin { println("hello") exit() }`)
}

func BenchmarkVfsRead(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.function("vfs_read") { println($count, kernel_string($file->f_path->dentry->d_name->name)) }`)
}

func BenchmarkEverything(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.function("*") { println(pp()) }`)
}

func BenchmarkEverythingWithParameters(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.function("*") { println($$parms) }`)
}

func BenchmarkTracepointsWithParameters(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.trace("*") { println($$name, $$parms) }`)
}
