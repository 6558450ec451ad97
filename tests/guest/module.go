// SPDX-License-Identifier: GPL-2.0-or-later

package guest

import (
	"os"
	"path/filepath"
	"testing"

	"gostap/elaborate/symbols"
)

// BuildModule builds a module that guests load, out of a folder in the module's
// root, and returns its file. It has all of its debuginfo.
func BuildModule(t testing.TB, release, source string) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(Root(t), source))); err != nil {
		t.Fatal(err)
	}
	// With CONFIG_DEBUG_INFO_BTF_MODULES, kbuild would make BTF of its own.
	Kbuild(t, release, dir, "KCFLAGS=-Wno-missing-prototypes", "CONFIG_DEBUG_INFO_BTF_MODULES=")
	files, err := filepath.Glob(filepath.Join(dir, "*.ko"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s makes %d modules (%v)", source, len(files), err)
	}
	return files[0]
}

// OnlyBTF makes of a module's debuginfo BTF, which goes on from that of the kernel as gostap has it, and drops the rest: so are
// the modules that distributions have.
func OnlyBTF(t testing.TB, release, module string) string {
	kernel, err := symbols.Open(release)
	if err != nil {
		t.Fatal(err)
	}
	Command(t, "/", "pahole", "-J", "--btf_base="+kernel.BTFPath(), module)
	Command(t, "/", "objcopy", "--strip-debug", module)
	return module
}
