// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// libraryDirs are where libraries are that ld.so's cache does not have.
var libraryDirs = []string{"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}

// A linker finds the libraries that programs will be linked with.
type linker struct {
	cache map[string]string // ld.so's, by name
}

func newLinker() *linker {
	data, _ := os.ReadFile("/etc/ld.so.cache")
	return &linker{parseLinkerCache(data)}
}

// parseLinkerCache reads /etc/ld.so.cache, as glibc has written it since 2.2 (sysdeps/generic/dl-cache.h).
func parseLinkerCache(data []byte) map[string]string {
	const magic, headerSize, entrySize = "glibc-ld.so.cache1.1", 48, 24
	cache := map[string]string{}
	// An older table may stand before it.
	at := bytes.Index(data, []byte(magic))
	if at < 0 || len(data)-at < headerSize {
		return cache
	}
	data = data[at:]
	text := func(offset uint32) string {
		if uint64(offset) >= uint64(len(data)) {
			return ""
		}
		s, _, _ := bytes.Cut(data[offset:], []byte{0})
		return string(s)
	}
	const x86_64 = 0x0303 // FLAG_X8664_LIB64 | FLAG_ELF_LIBC6
	entries := data[headerSize:]
	for n := le32(data[len(magic):]); n > 0 && len(entries) >= entrySize; n-- {
		name, path := text(le32(entries[4:])), text(le32(entries[8:]))
		if _, known := cache[name]; !known && le32(entries) == x86_64 {
			cache[name] = path
		}
		entries = entries[entrySize:]
	}
	return cache
}

// maxLibraries bounds how many files a program is followed to.
const maxLibraries = 1024

// with returns a program's path, its interpreter's, and those of all libraries that it needs.
func (l *linker) with(program string) []string {
	list := []string{program}
	seen := map[string]bool{program: true}
	add := func(path string) {
		if path != "" && !seen[path] && len(list) < maxLibraries {
			seen[path] = true
			list = append(list, path)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, path := range l.needed(list[i]) {
			add(path)
		}
	}
	return list
}

// needed returns the paths of what an ELF file asks for by itself.
func (l *linker) needed(path string) []string {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var list, dirs []string
	if s := f.Section(".interp"); s != nil && s.Size < 4096 {
		if name, err := s.Data(); err == nil {
			list = append(list, strings.TrimRight(string(name), "\x00"))
		}
	}
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		values, _ := f.DynString(tag)
		for _, v := range values {
			for _, dir := range strings.Split(v, ":") {
				origin := filepath.Dir(path)
				dirs = append(dirs, strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(dir))
			}
		}
	}
	names, _ := f.ImportedLibraries()
	for _, name := range names {
		list = append(list, l.find(name, dirs))
	}
	return list
}

// find returns where the library of a name is, "" if it is nowhere.
func (l *linker) find(name string, dirs []string) string {
	if strings.Contains(name, "/") {
		return name
	}
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	if path := l.cache[name]; path != "" {
		return path
	}
	for _, dir := range libraryDirs {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// programOf returns the program that a command of -c begins with; "" if that is not clear.
func programOf(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	return path
}
