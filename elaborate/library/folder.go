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

	// Version is the same as long as the content is, for folders of which that is known;
	// others are read each time, and what they hold counts.
	Version string

	// Fallback is for folders of which a file counts only if those before declare none of its names; what
	// is wrong in them is not told.
	Fallback bool
}

// path is what diagnostics call a file in the folder.
func (f *Folder) path(name string) string { return slashpath.Join(f.Path, name) }

// settled is how old the last change of a folder must be for times of files to tell
// whether it is the same.
const settled = 5 * time.Second

// FilesFolder returns what files has of the folder dir on disk. Its version is made of the files' sizes and times.
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

// passOver returns what is wrong with a folder, but nothing if it is a subfolder
// that has gone meanwhile, or that is not for this user, as some of /tmp are.
func passOver(name string, err error) error {
	if name != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil
	}
	return err
}

// errFresh says that a file may change once more without a later time.
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
