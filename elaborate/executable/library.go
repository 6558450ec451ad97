// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gostap/internal/glob"
	"gostap/translator/suggest"
)

// A library is one that a program loads.
type library struct{ name, path string }

// maxLibraries bounds what a program loads.
const maxLibraries = 4096

// Libraries returns the paths of the libraries that pattern stands for: of those that the
// program is linked to and those that they are linked to in turn, by their names or with
// wildcards; or any other by its path, or by its name, as it may be loaded later.
func (f *File) Libraries(pattern string) ([]string, error) {
	if strings.Contains(pattern, "/") {
		return Find(pattern)
	}
	loaded := f.loaded()
	var found, names []string
	for _, l := range loaded {
		names = append(names, l.name)
		if (glob.Match(pattern, l.name) || glob.Match(pattern, filepath.Base(l.path))) && !slices.Contains(found, l.path) {
			found = append(found, l.path)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if !Wild(pattern) {
		if path := lookup(pattern, libraryFolders(), ldCache()); path != "" {
			return []string{path}, nil
		}
	}
	e := &NotFoundError{Msg: fmt.Sprintf("%s loads no library %q", f.Path, pattern), Hint: suggest.Hint(pattern, names)}
	switch {
	case len(names) == 0:
		e.Hint = "it is linked statically"
	case e.Hint == "":
		e.Hint = "it is linked to " + suggest.Enumerate(names, 10)
	}
	return nil, e
}

// loaded returns what the dynamic linker loads at the program's start, itself included.
func (f *File) loaded() (list []library) {
	cached, folders := ldCache(), libraryFolders()
	if path := f.Interpreter(); path != "" {
		if real, err := program(path); err == nil {
			list = append(list, library{filepath.Base(path), real})
		}
	}
	queue := []*File{f}
	for len(queue) > 0 && len(list) < maxLibraries {
		at := queue[0]
		queue = queue[1:]
		needed, _ := at.elf.ImportedLibraries()
		for _, name := range needed {
			if slices.ContainsFunc(list, func(l library) bool { return l.name == name }) {
				continue
			}
			path := lookup(name, append(at.runPath(), folders...), cached)
			if path == "" {
				continue
			}
			list = append(list, library{name, path})
			if next, err := Open(path); err == nil {
				queue = append(queue, next)
			}
		}
	}
	return list
}

// runPath returns the folders that the file itself names for its libraries.
func (f *File) runPath() (folders []string) {
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		lists, _ := f.elf.DynString(tag)
		for _, list := range lists {
			for _, dir := range filepath.SplitList(list) {
				dir = strings.NewReplacer("$ORIGIN", filepath.Dir(f.Path), "${ORIGIN}", filepath.Dir(f.Path),
					"$LIB", "lib/x86_64-linux-gnu", "${LIB}", "lib/x86_64-linux-gnu").Replace(dir)
				folders = append(folders, dir)
			}
		}
	}
	return folders
}

// libraryFolders are where the dynamic linker looks without being told to.
func libraryFolders() []string {
	return append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")),
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
}

// lookup returns the path of the library of that name without symbolic links, "" if it is nowhere.
func lookup(name string, folders []string, cached map[string]string) string {
	if strings.Contains(name, "/") {
		real, _ := program(name)
		return real
	}
	for _, dir := range folders {
		if real, err := program(filepath.Join(dir, name)); err == nil {
			return real
		}
	}
	if path := cached[name]; path != "" {
		real, _ := program(path)
		return real
	}
	return ""
}

// ldCache returns the paths of libraries by their names, as ldconfig has found them.
func ldCache() map[string]string {
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		return nil
	}
	return parseLDCache(data)
}

// parseLDCache reads /etc/ld.so.cache in its newer format (glibc's
// sysdeps/generic/dl-cache.h): a header, entries, and strings, to which entries refer
// from the header's start.
func parseLDCache(data []byte) map[string]string {
	const (
		magic      = "glibc-ld.so.cache1.1"
		headerSize = 48
		entrySize  = 24
		x86_64     = 0x0303 // FLAG_X8664_LIB64 | FLAG_ELF_LIBC6
	)
	start := bytes.Index(data, []byte(magic))
	if start < 0 || len(data)-start < headerSize {
		return nil
	}
	data = data[start:]
	le := binary.LittleEndian
	text := func(offset uint32) string {
		if uint64(offset) >= uint64(len(data)) {
			return ""
		}
		return cut(data[offset:])
	}
	found := map[string]string{}
	count := min(uint64(le.Uint32(data[len(magic):])), uint64(len(data)-headerSize)/entrySize)
	for i := range count {
		e := data[headerSize+i*entrySize:]
		hardware := le.Uint64(e[16:]) // what the library needs of the processor
		name := text(le.Uint32(e[4:]))
		if le.Uint32(e) == x86_64 && hardware == 0 && found[name] == "" {
			found[name] = text(le.Uint32(e[8:]))
		}
	}
	return found
}
