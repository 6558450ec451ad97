// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLoadOrder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("modules.builtin", "kernel/fs/fuse/fuse.ko\n")
	write("modules.dep", `kernel/virtio.ko.xz:
kernel/virtio_ring.ko.xz: kernel/virtio.ko.xz
kernel/virtio-pci.ko.xz: kernel/virtio_ring.ko.xz kernel/virtio.ko.xz
kernel/virtiofs.ko.xz: kernel/virtio_ring.ko.xz kernel/fs/fuse/fuse.ko kernel/virtio.ko.xz
`)
	tree, err := readModuleTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.loadOrder("virtio_pci", "virtiofs", "fuse")
	want := []string{"kernel/virtio.ko.xz", "kernel/virtio_ring.ko.xz", "kernel/virtio-pci.ko.xz", "kernel/virtiofs.ko.xz"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := tree.loadOrder("overlay"); err == nil {
		t.Error("a module that isn't there was found")
	}
}
