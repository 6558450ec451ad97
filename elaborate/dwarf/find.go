// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
)

// A Finder looks for debuginfo where distributions put it.
type Finder struct {
	Root  string   // of the file system; "" for /
	Debug string   // a folder instead of /usr/lib/debug, "" for that
	URLs  []string // debuginfod servers, used last
	Cache string   // a folder for downloads, and for large decompressed sections

	// Absolute makes the paths of sources absolute, not relative to the compiler's folder.
	Absolute bool

	// Frames is the program, whose .eh_frame is used if separate debuginfo has no .debug_frame;
	// "" for none.
	Frames string
}

// ErrNone is the error if there is no debuginfo.
var ErrNone = errors.New("no debuginfo")

// A MismatchError is the error if there is only debuginfo of another build.
type MismatchError struct {
	Path, Has, Want string // build-ids in hex
}

func (e *MismatchError) Error() string {
	has := "no build-id"
	if e.Has != "" {
		has = "build-id " + e.Has
	}
	return "the debuginfo in " + e.Path + " is of another build: it has " + has + ", and the target has " + e.Want
}

func (f *Finder) debug() string {
	if f.Debug != "" {
		return f.Debug
	}
	return f.Root + "/usr/lib/debug"
}

// Kernel returns the file with the debuginfo of a kernel.
func (f *Finder) Kernel(release, buildID string) (string, error) {
	return f.find(buildID, []string{
		f.debug() + "/boot/vmlinux-" + release,
		f.debug() + "/lib/modules/" + release + "/vmlinux",
		f.debug() + "/lib/modules/" + release + "/vmlinux.debug",
		f.debug() + "/vmlinux-" + release,
		f.Root + "/lib/modules/" + release + "/vmlinux",
		f.Root + "/lib/modules/" + release + "/build/vmlinux",
		f.Root + "/boot/vmlinux-" + release,
	})
}

// Module returns the file with the debuginfo of a kernel module, which lies
// at path: "/lib/modules/6.1.0-56-cloud-amd64/kernel/fs/fuse/fuse.ko", behind
// the root.
func (f *Finder) Module(path, buildID string) (string, error) {
	paths := f.beside(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		// If /lib is a link to /usr/lib, debuginfo is still below /lib.
		paths = append(paths, f.beside(strings.TrimPrefix(real, "/usr"))...)
	}
	return f.find(buildID, paths)
}

// Program returns the file with the debuginfo of the program at path.
func (f *Finder) Program(path, buildID string) (string, error) {
	return f.find(buildID, []string{path, f.debug() + path + ".debug", f.debug() + path})
}

// beside returns paths at which the debuginfo of the module at path may be.
func (f *Finder) beside(path string) []string {
	for _, suffix := range []string{".xz", ".gz", ".zst"} {
		path = strings.TrimSuffix(path, suffix)
	}
	installed := f.debug() + strings.TrimPrefix(path, f.Root)
	return []string{installed, installed + ".debug", path}
}

// find returns the first of paths that has debuginfo with that build-id, else the
// file below .build-id, else that of a server.
func (f *Finder) find(buildID string, paths []string) (string, error) {
	if len(buildID) > 2 {
		paths = append(paths, f.debug()+"/.build-id/"+buildID[:2]+"/"+buildID[2:]+".debug")
	}
	var other error
	for _, path := range paths {
		found, err := f.look(path, buildID, true)
		if err == nil {
			return found, nil
		}
		var mismatch *MismatchError
		if errors.As(err, &mismatch) || other == nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, ErrNone) {
			other = err
		}
	}
	if path, err := f.fetch(buildID); err == nil {
		return path, nil
	} else if other == nil && !errors.Is(err, ErrNone) {
		other = err
	}
	if other != nil {
		return "", other
	}
	return "", ErrNone
}

// look checks whether path has the debuginfo, or a link to it.
func (f *Finder) look(path, buildID string, follow bool) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	id, link, has, err := inspect(path)
	switch {
	case err != nil:
		return "", err
	case !has && link == "":
		return "", ErrNone
	case id != buildID:
		return "", &MismatchError{path, id, buildID}
	case has:
		return path, nil
	case !follow || link != filepath.Base(link):
		return "", ErrNone
	}
	dir, other := filepath.Dir(path), error(ErrNone)
	for _, near := range []string{filepath.Join(dir, link), filepath.Join(dir, ".debug", link),
		filepath.Join(f.debug(), strings.TrimPrefix(dir, f.Root), link)} {
		if near == path {
			continue
		}
		found, err := f.look(near, buildID, false)
		if err == nil {
			return found, nil
		}
		if mismatch := (*MismatchError)(nil); errors.As(err, &mismatch) {
			other = err
		}
	}
	return "", other
}

// supplement opens the dwz supplement that file names, nil if it names none.
func (f *Finder) supplement(file *File) (*File, error) {
	if file.altPath == "" {
		return nil, nil
	}
	paths := []string{filepath.Join(filepath.Dir(file.Path), file.altPath)}
	if filepath.IsAbs(file.altPath) {
		paths = []string{filepath.Join(f.Root, file.altPath)}
	}
	if id := file.altID; len(id) > 2 {
		paths = append(paths, filepath.Join(f.debug(), ".build-id/"+id[:2]+"/"+id[2:]+".debug"))
	}
	for _, path := range paths {
		alt, err := openMapped(path, f.Cache)
		if err != nil {
			continue
		}
		if alt.BuildID == file.altID || alt.supID() == file.altID {
			return alt, nil
		}
	}
	if path, err := f.fetch(file.altID); err == nil {
		return openMapped(path, f.Cache)
	}
	return nil, errors.Errorf("%s is not complete without %s (build-id %s), which is not there", file.Path, file.altPath, file.altID)
}
