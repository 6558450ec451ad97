// SPDX-License-Identifier: GPL-2.0-or-later

package kernels

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// put makes a file and its folders.
func put(t *testing.T, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, from); err != nil {
		t.Fatal(err)
	}
}

// cacheWith makes a cache with a root of that name.
func cacheWith(t *testing.T, name string) (root string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GOSTAP_CACHE", dir)
	root = filepath.Join(dir, "roots", name)
	link(t, "usr/lib", filepath.Join(root, "lib"))
	return root
}

// TestRoot has a kernel in a root with absolute links, which are relative to the root, as in packages.
func TestRoot(t *testing.T) {
	root := cacheWith(t, "suite")
	image := put(t, root, "boot/vmlinuz-1.2.3-test")
	makefile := put(t, root, "usr/src/linux-headers-1.2.3-test/Makefile")
	put(t, root, "usr/lib/modules/1.2.3-test/modules.dep")
	link(t, "/usr/src/linux-headers-1.2.3-test", filepath.Join(root, "usr/lib/modules/1.2.3-test/build"))
	link(t, "../../../../../../../../etc", filepath.Join(root, "usr/lib/modules/1.2.3-test/source"))

	k := Find("1.2.3-test")
	for _, is := range []struct{ got, want string }{
		{k.Root, root},
		{k.Image(), image},
		{k.Modules(), filepath.Join(root, "usr/lib/modules/1.2.3-test")},
		{k.Build(), filepath.Dir(makefile)},
		{k.Inside(k.Build()), "/usr/src/linux-headers-1.2.3-test"},
		{k.Source(), filepath.Join(root, "etc")}, // links do not lead out of the root
		{k.Config(), ""},
	} {
		if is.got != is.want {
			t.Errorf("got %q, want %q", is.got, is.want)
		}
	}
	if list := Fetched(); !slices.Equal(list, []string{"1.2.3-test"}) {
		t.Errorf("fetched: %v", list)
	}
	config := put(t, root, "boot/config-1.2.3-test")
	if got := k.Config(); got != config {
		t.Errorf("the configuration is %q", got)
	}
}

// TestBeside has the image in the folder of the modules.
func TestBeside(t *testing.T) {
	root := cacheWith(t, "suite")
	image := put(t, root, "usr/lib/modules/7.2.1-test/vmlinuz")
	if got := Find("7.2.1-test").Image(); got != image {
		t.Errorf("the image is %q", got)
	}
	if list := Fetched(); !slices.Equal(list, []string{"7.2.1-test"}) {
		t.Errorf("fetched: %v", list)
	}
}

// TestHeadersFirst has the image in one root, and image and headers in another.
func TestHeadersFirst(t *testing.T) {
	root := cacheWith(t, "b")
	put(t, filepath.Dir(root), "a/boot/vmlinuz-1.2.3-test")
	put(t, root, "boot/vmlinuz-1.2.3-test")
	put(t, root, "usr/lib/modules/1.2.3-test/build/Makefile")
	if got := Find("1.2.3-test").Root; got != root {
		t.Errorf("found in %q", got)
	}
}

// TestNowhere: errors name the machine's own folders.
func TestNowhere(t *testing.T) {
	cacheWith(t, "suite")
	k := Find("9.9.9-none")
	if k.Root != "" || k.Image() != "/boot/vmlinuz-9.9.9-none" || k.Build() != "/lib/modules/9.9.9-none/build" {
		t.Errorf("found %q, %q, %q", k.Root, k.Image(), k.Build())
	}
}

// TestCommand runs a program that only a root has, with the root's /usr, the machine's other files, and
// its folder by the path inside of the root.
func TestCommand(t *testing.T) {
	root := cacheWith(t, "suite")
	put(t, root, "boot/vmlinuz-1.2.3-test")
	here := put(t, t.TempDir(), "file")
	static, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal("busybox-static is not installed")
	}
	data, err := os.ReadFile(static)
	if err != nil {
		t.Fatal(err)
	}
	program := put(t, root, "usr/bin/only-here")
	if err := os.WriteFile(program, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(program, put(t, root, "usr/bin/busybox")); err != nil {
		t.Fatal(err)
	}
	k := Find("1.2.3-test")
	if path, err := k.LookPath("busybox"); err != nil || path != filepath.Join(root, "usr/bin/busybox") {
		t.Errorf("looked for and found %q, %v", path, err)
	}
	cmd := k.Command(t.Context(), "busybox", "sh", "-c", "pwd; busybox ls /usr; busybox cat "+here)
	cmd.Dir = filepath.Join(root, "usr/bin")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "/usr/bin\nbin\nx" && string(out) != "/usr/bin\nbin\nlib\nx" {
		t.Errorf("%v: %q", err, out)
	}
	if _, err := k.Command(t.Context(), "dpkg", "--version").CombinedOutput(); err == nil {
		t.Error("the machine's own programs can be run there")
	}
}
