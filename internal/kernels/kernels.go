// SPDX-License-Identifier: GPL-2.0-or-later

// Package kernels finds the files of a kernel's release: image, modules, headers,
// configuration, debuginfo, and the compiler for its headers (roots.go).
//
//	k := kernels.Find("5.10.0-46-cloud-amd64")
//	image, err := os.Open(k.Image())
//	cmd := k.Command(ctx, "make", "-C", k.Inside(k.Build()))
//
// They are the machine's own files, or in a root of the cache, roots/NAME: another
// distribution's files as they would lie under /, which tests/kernels/fetch unpacks there.
package kernels

import (
	"os"
	"path/filepath"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
)

// A Kernel is a release and the location of its files.
type Kernel struct {
	Release string
	Root    string // "" if they are the machine's own
}

// Find returns the kernel of a release: the machine's own, if it has headers of it, or that of the root that has; else, in the same
// order, where there is an image. A kernel that is nowhere is the machine's, so that errors tell where it would have to be.
func Find(release string) Kernel {
	places := append([]string{""}, roots()...)
	for _, part := range []func(Kernel) string{Kernel.Build, Kernel.Image} {
		for _, root := range places {
			if k := (Kernel{release, root}); k.has(part(k)) {
				return k
			}
		}
	}
	return Kernel{Release: release}
}

func (k Kernel) has(path string) bool {
	_, err := os.Stat(path)
	return k.Release != "" && err == nil
}

// Image returns the path of the kernel image: in /boot or, as in Fedora, in Debian since 7 and by `make
// debug-kernel`, in the folder of its modules. If there is none, it is the path in /boot.
func (k Kernel) Image() string {
	boot, beside := k.Path("/boot/vmlinuz-"+k.Release), k.Path("/lib/modules", k.Release, "vmlinuz")
	if _, err := os.Stat(beside); err == nil {
		if _, err := os.Stat(boot); err != nil {
			return beside
		}
	}
	return boot
}

// Modules returns the folder of the modules.
func (k Kernel) Modules() string { return k.Path("/lib/modules", k.Release) }

// Build returns the folder of the headers, where kbuild runs.
func (k Kernel) Build() string { return k.Path("/lib/modules", k.Release, "build") }

// Source returns the folder of the headers that all flavours of the kernel share, or of its source.
func (k Kernel) Source() string { return k.Path("/lib/modules", k.Release, "source") }

// Config returns the file with the configuration; "" if there is none.
func (k Kernel) Config() string {
	for _, path := range []string{k.Path("/boot/config-" + k.Release), filepath.Join(k.Modules(), "config"), filepath.Join(k.Build(), ".config")} {
		if k.has(path) {
			return path
		}
	}
	return ""
}

// Path returns the path of a file of the kernel's packages, in the root; symbolic links are followed, and never lead out of
// the root.
func (k Kernel) Path(elem ...string) string {
	path := filepath.Join(elem...)
	if k.Root == "" {
		return path
	}
	joined, err := securejoin.SecureJoin(k.Root, path)
	if err != nil { // links in a circle
		return filepath.Join(k.Root, path)
	}
	return joined
}

// Booted returns the releases that have an image in the machine's /boot, in the order of their names.
func Booted() []string { return images("") }

// Fetched returns the releases that are in the cache's roots.
func Fetched() []string {
	var list []string
	for _, root := range roots() {
		list = append(list, images(root)...)
	}
	return list
}

// images returns the releases with an image in a root.
func images(root string) []string {
	found, _ := filepath.Glob(filepath.Join("/", root, "/boot/vmlinuz-*"))
	if root != "" {
		beside, _ := filepath.Glob(filepath.Join(root, "/lib/modules/*/vmlinuz"))
		found = append(found, beside...)
	}
	for i, path := range found {
		release, ok := strings.CutPrefix(filepath.Base(path), "vmlinuz-")
		if !ok {
			release = filepath.Base(filepath.Dir(path))
		}
		found[i] = release
	}
	return found
}
