// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gostap/internal/kernels"
)

// newTarget makes a build directory with files.
func newTarget(t *testing.T, files map[string]string) *target {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &target{Kernel: kernels.Kernel{Release: "1.2.3-test"}, build: dir}
}

// TestTools checks the names of tools for the headers of Debian 11, 12 and sid, and of others.
func TestTools(t *testing.T) {
	const cc = "CC = $(if $(DEBIAN_KERNEL_USE_CCACHE),$(CCACHE)) $(CROSS_COMPILE)gcc-"
	for _, c := range []struct{ variables, compiler, linker string }{
		{cc + "10\nifneq ($(DEB_BUILD_ARCH),$(DEB_HOST_ARCH))\noverride CROSS_COMPILE = $(DEB_HOST_GNU_TYPE)-\nendif\n", "gcc-10", "ld"},
		{cc + "16\nDEB_BUILD_ARCH ?= amd64\noverride CROSS_COMPILE = x86_64-linux-gnu-\n", "x86_64-linux-gnu-gcc-16", "x86_64-linux-gnu-ld"},
		{"", "gcc", "ld"},
	} {
		target := newTarget(t, map[string]string{".kernelvariables": c.variables})
		if got := target.compiler(); got != c.compiler {
			t.Errorf("the compiler is %q, want %q", got, c.compiler)
		}
		if got := target.linker(); got != c.linker {
			t.Errorf("the linker is %q, want %q", got, c.linker)
		}
	}
}

func TestCompatDefines(t *testing.T) {
	target := newTarget(t, map[string]string{
		"include/linux/a.h": "int put(const char *s, int size);\n",
		"Module.symvers":    "0x1\tput\tvmlinux\tEXPORT_SYMBOL\t\n",
	})
	got := target.compatDefines([]byte(" * check YES include/linux/a.h put\n * check NO include/linux/a.h pu\n" +
		" * check SIZE include/linux/none.h,include/linux/a.h put\\(.*size\n * check EXPORTED Module.symvers put\n * check no question\n"))
	if want := []string{"-DYES=1", "-DNO=0", "-DSIZE=1", "-DEXPORTED=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
