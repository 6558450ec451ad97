// SPDX-License-Identifier: GPL-2.0-or-later

package guest

import (
	"os"
	"path/filepath"
	"testing"

	"gostap/elaborate/symbols"
)

// BuildModule builds a module for guests from a folder below the module's root, and returns its file.
// The module has its full debuginfo.
func BuildModule(t testing.TB, release, source string) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(Root(t), source))); err != nil {
		t.Fatal(err)
	}
	// With CONFIG_DEBUG_INFO_BTF_MODULES, kbuild would add BTF.
	Kbuild(t, release, dir, "KCFLAGS=-Wno-missing-prototypes", "CONFIG_DEBUG_INFO_BTF_MODULES=")
	files, err := filepath.Glob(filepath.Join(dir, "*.ko"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s makes %d modules (%v)", source, len(files), err)
	}
	return files[0]
}

// OnlyBTF replaces a module's debuginfo by BTF based on the kernel's BTF that gostap uses, as in the
// modules of distributions.
func OnlyBTF(t testing.TB, release, module string) string {
	kernel, err := symbols.Open(release)
	if err != nil {
		t.Fatal(err)
	}
	Command(t, "/", "pahole", "-J", "--btf_base="+kernel.BTFPath(), module)
	Command(t, "/", "objcopy", "--strip-debug", module)
	return module
}
