// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gostap/elaborate/library"
)

// othersFolders are the folders of tapsets of other packages than SystemTap, such as libvirt, OpenJDK and
// Python: $SYSTEMTAP_TAPSET, or systemtap/tapset in the folders of $XDG_DATA_DIRS.
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

// includedFolder is the folder of a -I.
func includedFolder(dir, release string) library.Folder {
	return library.FilesFolder(dir, includedFS{os.DirFS(dir), kernelVersions(release)})
}

// kernelVersions are the names that tapset folders may have for a kernel: 6.1.0-56-cloud-amd64, 6.1.0 and 6.1.
func kernelVersions(release string) []string {
	base, _, _ := strings.Cut(release, "-")
	versions := []string{release, base}
	if numbers := strings.Split(base, "."); len(numbers) > 2 {
		versions = append(versions, strings.Join(numbers[:2], "."))
	}
	return versions
}

// includedFS is the part of a folder of -I that stap reads: files at its top, and in the folders that are named
// after the kernel's version, the architecture, or both, also below linux. Other folders are ignored.
type includedFS struct {
	fs.FS
	versions []string
}

// ReadDir lists a folder, without ignored folders.
func (i includedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(i.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return e.IsDir() && !i.looksAt(path.Join(name, e.Name())) }), err
}

func (i includedFS) looksAt(folder string) bool {
	names := strings.Split(folder, "/")
	if names[0] == "linux" {
		names = names[1:]
	}
	if len(names) > 0 && slices.Contains(i.versions, names[0]) {
		names = names[1:]
	}
	return len(names) == 0 || len(names) == 1 && names[0] == "x86_64"
}

// othersFS is the files of other packages in a tapset folder: scripts at its top, and in the folder of the
// architecture. The other folders are SystemTap's alone.
type othersFS struct {
	fs.FS
	dir string
	own map[string]bool // SystemTap's files, by path
}

// ReadDir lists a folder, without files that are not used.
func (o othersFS) ReadDir(name string) (entries []fs.DirEntry, err error) {
	all, err := fs.ReadDir(o.FS, name)
	for _, e := range all {
		switch at := filepath.Join(o.dir, name, e.Name()); {
		case e.IsDir():
			if name == "." && e.Name() == "x86_64" {
				entries = append(entries, e)
			}
		case strings.HasSuffix(e.Name(), ".stp") && !o.own[at]:
			entries = append(entries, e)
		}
	}
	return entries, err
}

// systemtapOwn returns the files that SystemTap's own package has installed, by dpkg. On other systems they are
// recognised as those that declare names of gostap's library.
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
