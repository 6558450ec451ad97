// SPDX-License-Identifier: GPL-2.0-or-later

package library

import (
	"errors"
	"fmt"
	"io/fs"
	slashpath "path"
	"strings"
	"time"
)

// A Folder is a tree of tapset files.
type Folder struct {
	FS   fs.FS
	Path string // what diagnostics call its root

	// Version changes when the content does; "" for folders whose files have to be read each time
	// to find that out.
	Version string

	// Fallback is set for folders whose files are used only if previous folders declare none of their
	// names; errors in them are not reported.
	Fallback bool
}

// path is what diagnostics call a file in the folder.
func (f *Folder) path(name string) string { return slashpath.Join(f.Path, name) }

// settled is the age that the last change of a folder must have: a younger file may change
// again without getting a later time.
const settled = 5 * time.Second

// FilesFolder returns the folder dir on disk, with the file system files. Its version is computed from
// the files' sizes and times.
func FilesFolder(dir string, files fs.FS) Folder {
	f := Folder{FS: files, Path: dir}
	var version strings.Builder
	fmt.Fprintln(&version, dir)
	now := time.Now()
	err := fs.WalkDir(f.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isTapset(name) {
			return passOver(name, err)
		}
		info, err := fs.Stat(f.FS, name)
		if err != nil {
			return err
		}
		if now.Sub(info.ModTime()) < settled {
			return errFresh
		}
		fmt.Fprintf(&version, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err == nil {
		f.Version = version.String()
	}
	return f
}

// passOver returns the error of a folder, but nil for a subfolder that has been removed
// meanwhile, or that this user may not read.
func passOver(name string, err error) error {
	if name != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil
	}
	return err
}

// errFresh is the error for a file that was modified so recently that a further change may not change
// its time.
var errFresh = errors.New("changed a moment ago")

// isTapset reports whether a file is one of scripts or macros.
func isTapset(name string) bool {
	return strings.HasSuffix(name, ".stp") || strings.HasSuffix(name, ".stpm")
}

// A Searched is a folder of the library's, and how many files with scripts were found in it.
type Searched struct {
	Path  string
	Files int
}

// Searched returns the folders that the library was made of.
func (lib *Library) Searched() (list []Searched) {
	for _, p := range lib.parts {
		list = append(list, Searched{p.folder.Path, len(p.scripts)})
	}
	return list
}
