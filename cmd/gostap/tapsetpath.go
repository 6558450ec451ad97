// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gostap/elaborate/library"
)

// othersFolders are where other packages than SystemTap's put tapsets for it, as libvirt, OpenJDK and Python
// do: $SYSTEMTAP_TAPSET, or systemtap/tapset in the folders of $XDG_DATA_DIRS.
func othersFolders() (folders []library.Folder) {
	dirs := []string{os.Getenv("SYSTEMTAP_TAPSET")}
	if dirs[0] == "" {
		data := os.Getenv("XDG_DATA_DIRS")
		if data == "" {
			data = "/usr/local/share:/usr/share"
		}
		dirs = nil
		for _, dir := range filepath.SplitList(data) {
			if filepath.IsAbs(dir) {
				dirs = append(dirs, filepath.Join(dir, "systemtap/tapset"))
			}
		}
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err == nil {
			folder := library.FilesFolder(dir, othersFS{os.DirFS(dir), dir, systemtapOwn()})
			folder.Fallback = true
			folders = append(folders, folder)
		}
	}
	return folders
}

// othersFS is what other packages have in a tapset folder: scripts at its top, and in the folder of the
// architecture. The other folders are SystemTap's alone.
type othersFS struct {
	fs.FS
	dir string
	own map[string]bool // SystemTap's files, by path
}

// ReadDir lists a folder, without what is not for us.
func (o othersFS) ReadDir(name string) (entries []fs.DirEntry, err error) {
	all, err := fs.ReadDir(o.FS, name)
	for _, e := range all {
		switch path := filepath.Join(o.dir, name, e.Name()); {
		case e.IsDir():
			if name == "." && e.Name() == "x86_64" {
				entries = append(entries, e)
			}
		case strings.HasSuffix(e.Name(), ".stp") && !o.own[path]:
			entries = append(entries, e)
		}
	}
	return entries, err
}

// systemtapOwn returns the files that SystemTap's own package has installed, where dpkg knows. Elsewhere they are
// told by declaring what gostap's library does.
func systemtapOwn() map[string]bool {
	own := map[string]bool{}
	list, err := os.ReadFile("/var/lib/dpkg/info/systemtap-common.list")
	if err != nil {
		return own
	}
	for line := range strings.Lines(string(list)) {
		if strings.HasSuffix(line, ".stp\n") {
			own[strings.TrimSpace(line)] = true
		}
	}
	return own
}
