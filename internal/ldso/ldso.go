// SPDX-License-Identifier: GPL-2.0-or-later

// Package ldso finds the libraries that the dynamic linker will load for a program: ldso.go follows the
// dependencies of ELF files (ld.so(8)), cache.go reads ldconfig's cache.
package ldso

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Library is a library that a program loads.
type Library struct {
	Name string // as in DT_NEEDED
	Path string // absolute, without symbolic links
}

// maxLibraries bounds what a program loads.
const maxLibraries = 4096

// maxInterpreter bounds the path of a program's interpreter, in bytes.
const maxInterpreter = 4096

// Loaded returns the files that are loaded at the start of a program, or for a library: the dynamic
// linker itself, and the libraries that it needs, directly or not. Libraries that can't be found or
// read are left out.
func Loaded(path string) (list []Library) {
	cached, folders := readCache(), Folders()
	queue := []string{path}
	for len(queue) > 0 && len(list) < maxLibraries {
		file := queue[0]
		queue = queue[1:]
		f, err := elf.Open(file)
		if err != nil {
			continue
		}
		needed, _ := f.ImportedLibraries()
		if file == path {
			if name := interpreter(f); name != "" {
				needed = append([]string{name}, needed...)
			}
		}
		places := append(runPath(f, file), folders...)
		f.Close()
		for _, name := range needed {
			base := filepath.Base(name)
			if slices.ContainsFunc(list, func(l Library) bool { return l.Name == base }) {
				continue
			}
			if real := lookup(name, places, cached); real != "" {
				list = append(list, Library{base, real})
				queue = append(queue, real)
			}
		}
	}
	return list
}

// Lookup returns the path of the library of that name without symbolic links, "" if it is nowhere.
func Lookup(name string) string { return lookup(name, Folders(), readCache()) }

// Folders returns the dynamic linker's default folders.
func Folders() []string {
	return append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")),
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
}

func lookup(name string, folders []string, cached map[string]string) string {
	if strings.Contains(name, "/") {
		return real(name)
	}
	for _, dir := range folders {
		if path := real(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	return real(cached[name])
}

// real returns a file's path without symbolic links, "" if there is no such file.
func real(path string) string {
	if path == "" {
		return ""
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// interpreter returns a program's dynamic linker, "" if it is linked statically.
func interpreter(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < maxInterpreter {
			path := make([]byte, p.Filesz)
			n, _ := p.ReadAt(path, 0)
			return cut(path[:n])
		}
	}
	return ""
}

// runPath returns the folders that the file itself, at path, names for its libraries.
func runPath(f *elf.File, path string) (folders []string) {
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		lists, _ := f.DynString(tag)
		for _, list := range lists {
			for _, dir := range filepath.SplitList(list) {
				dir = strings.NewReplacer("$ORIGIN", filepath.Dir(path), "${ORIGIN}", filepath.Dir(path),
					"$LIB", "lib/x86_64-linux-gnu", "${LIB}", "lib/x86_64-linux-gnu").Replace(dir)
				folders = append(folders, dir)
			}
		}
	}
	return folders
}
