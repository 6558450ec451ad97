// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gostap/internal/ldso"
	"gostap/translator/suggest"
)

// A NotFoundError is the error for the name of a program that does not exist.
type NotFoundError struct {
	Msg, Hint string // Hint is a suggestion, "" for none
	Awaited   string // the path, or name, of a program that may be made yet; "" if it can't be
}

func (e *NotFoundError) Error() string { return e.Msg }

// Wild reports whether a name may stand for several programs.
func Wild(name string) bool { return strings.ContainsAny(name, "*?[") }

// Find returns the paths, absolute and without symbolic links, of the programs that name
// stands for: a path, with wildcards, or a name that is looked for in $PATH, and
// if it is a library's, where libraries are. Its errors are NotFoundErrors.
func Find(name string) ([]string, error) {
	candidates := candidates(name)
	var found []string
	var first error
	for _, path := range candidates {
		real, err := program(path)
		if err == nil && !slices.Contains(found, real) {
			found = append(found, real)
		}
		if err == nil && !Wild(name) {
			break
		}
		if first == nil {
			first = err
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case first != nil && len(candidates) == 1:
		return nil, first
	case Wild(name):
		return nil, &NotFoundError{Msg: fmt.Sprintf("no program matches %q", name)}
	}
	return nil, missing(name)
}

// candidates are the files that name may stand for.
func candidates(name string) (paths []string) {
	if strings.Contains(name, "/") {
		if _, err := os.Stat(name); err == nil {
			return []string{name}
		}
		if dir, base := filepath.Split(name); strings.Contains(base, ".so") && isLibraryFolder(dir) {
			paths = inLibraryFolders(base)
		}
		if Wild(name) {
			matches, _ := filepath.Glob(name)
			paths = append(paths, matches...)
		}
		return paths
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		paths = append(paths, inFolder(dir, name)...)
	}
	if len(paths) == 0 && strings.Contains(name, ".so") {
		return inLibraryFolders(name)
	}
	return paths
}

// isLibraryFolder reports whether a path, which may have wildcards, is where some distribution has its libraries:
// scripts name /lib64 or /usr/lib*, by their author's distribution. On this machine it may be a folder of other
// libraries, such as /usr/lib32, or not exist.
func isLibraryFolder(dir string) bool {
	dir = strings.TrimPrefix(filepath.Clean(dir), "/usr")
	return strings.HasPrefix(dir, "/lib") && !strings.Contains(dir[1:], "/")
}

// inLibraryFolders returns the libraries that name stands for.
func inLibraryFolders(name string) (paths []string) {
	for _, dir := range ldso.Folders() {
		paths = append(paths, inFolder(dir, name)...)
	}
	return paths
}

// inFolder returns the files of a folder that name stands for.
func inFolder(dir, name string) []string {
	path := filepath.Join(dir, name)
	if !Wild(name) {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil
		}
		return []string{path}
	}
	paths, _ := filepath.Glob(path)
	return paths
}

// program returns the path of an ELF file without symbolic links.
func program(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", &NotFoundError{Msg: err.Error()}
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", &NotFoundError{Msg: err.Error()}
	}
	// In a root of a process, /proc/PID/root, links lead elsewhere than their text says.
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		if is, err := os.Stat(real); err == nil && os.SameFile(is, info) {
			abs = real
		}
	}
	switch {
	case info.IsDir():
		return "", &NotFoundError{Msg: abs + " is a folder", Hint: fmt.Sprintf("process(%q) stands for the programs in it", abs+"/*")}
	case !info.Mode().IsRegular():
		return "", &NotFoundError{Msg: abs + " is no file of code"}
	}
	f, err := os.Open(abs)
	if err != nil {
		return "", &NotFoundError{Msg: err.Error(), Hint: "who runs gostap must be able to read the program"}
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	switch {
	case strings.HasPrefix(line, "\x7fELF"):
		return abs, nil
	case strings.HasPrefix(line, "#!"):
		return "", script(abs, strings.Fields(line[2:]))
	}
	return "", &NotFoundError{Msg: abs + " is no ELF file"}
}

// script is the error for a script, whose first line names its interpreter.
func script(path string, words []string) error {
	e := &NotFoundError{Msg: path + " is a script, and no program"}
	if len(words) > 1 && filepath.Base(words[0]) == "env" {
		words = words[1:]
	}
	if len(words) > 0 {
		e.Hint = fmt.Sprintf("what runs is its interpreter: process(%q)", words[0])
	}
	return e
}

// missing is the error for a name of which there is no file.
func missing(name string) error {
	e := &NotFoundError{Msg: fmt.Sprintf("there is no program %q in $PATH", name), Awaited: name}
	dirs := filepath.SplitList(os.Getenv("PATH"))
	if strings.Contains(name, "/") {
		e.Msg = fmt.Sprintf("there is no file %q", name)
		e.Awaited, _ = filepath.Abs(name)
		dirs = []string{filepath.Dir(name)}
		if _, err := os.Stat(dirs[0]); err != nil {
			e.Msg += ": not even the folder " + dirs[0]
		}
	}
	var names []string
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	if near := suggest.Nearest(filepath.Base(name), slices.Compact(names), 3); len(near) > 0 {
		e.Hint = suggest.DidYouMean(near)
	} else if !strings.Contains(name, "/") {
		e.Hint = "a program that is not in $PATH is named by its path"
	}
	return e
}
