// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/cache"
	"gostap/internal/distro"
	"gostap/internal/kernels"
	"gostap/internal/vmlinuz"
)

// A MissingError says that something is not installed.
type MissingError struct {
	What    string // "no kernel image /boot/vmlinuz-6.1.0-56-cloud-amd64"
	Install string // the command that installs it, "" if none is known
}

func (e *MissingError) Error() string { return e.What + "; " + e.Hint() }

// Hint returns the remedy.
func (e *MissingError) Hint() string {
	if e.Install == "" {
		return distro.Doctor
	}
	return "install it: " + e.Install + "; " + distro.Doctor
}

// A source identifies the file that an index was built from; while it is the same, the
// index is valid.
type source struct {
	Path    string
	Size    int64
	ModTime int64 // ns
	BuildID string
}

// Open returns the kernel of that release (what uname -r prints), which need
// not be the one that runs. Package kernels finds its image;
// if the running kernel has none, its own lists are read.
//
// The first call for a kernel build takes about half a second; its results are
// kept in the cache, from where later calls take them in less than 1 ms.
func Open(release string) (*Kernel, error) {
	path, info, err := findImage(release)
	if err != nil {
		if release == running() {
			return openLive(release)
		}
		return nil, err
	}
	now := source{Path: path, Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if seen, ok := readSource(release); ok {
		now.BuildID = seen.BuildID
		if seen == now {
			if k, err := openCached(release, now.BuildID); err == nil {
				return k, nil
			}
		}
	}
	k, err := build(release, path)
	if err != nil {
		if release == running() {
			if live, err := openLive(release); err == nil {
				return live, nil
			}
		}
		return nil, errors.Wrap(err, path)
	}
	now.BuildID = k.BuildID
	return k, writeSource(release, now)
}

// findImage returns the kernel image of a release.
func findImage(release string) (string, os.FileInfo, error) {
	if release == "" || release != filepath.Base(release) {
		return "", nil, errors.Errorf("%q is no kernel release", release)
	}
	path := kernels.Find(release).Image()
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return "", nil, &MissingError{What: "no kernel image " + path, Install: distro.Here().Image(release)}
	}
	if err == nil {
		err = unix.Access(path, unix.R_OK)
	}
	return path, info, errors.Wrap(err, path)
}

// running returns the running kernel's release.
func running() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

func kernelDir(buildID string) string { return cache.Path("kernels", buildID) }

func sourcePath(release string) string {
	return cache.Path("kernels", "release-"+release+".json")
}

func readSource(release string) (source, bool) {
	var s source
	data, err := os.ReadFile(sourcePath(release))
	if err != nil || json.Unmarshal(data, &s) != nil {
		return s, false
	}
	return s, s.BuildID != "" && s.BuildID == filepath.Base(s.BuildID)
}

func writeSource(release string, s source) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return cache.Write(sourcePath(release), data)
}

// openCached opens the files that build has written.
func openCached(release, buildID string) (*Kernel, error) {
	dir := kernelDir(buildID)
	data, err := cache.Map(filepath.Join(dir, "symbols"))
	if err != nil {
		return nil, err
	}
	x, err := openIndex(data)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Join(dir, "btf")); x.btf > 0 && (err != nil || info.Size() != x.btf) {
		return nil, errIndex
	}
	return &Kernel{Release: release, BuildID: buildID, dir: dir, Functions: Functions{x}}, nil
}

// build reads a kernel image and writes the cache's files for it.
func build(release, path string) (*Kernel, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if is := vmlinuz.Release(file); is != "" && is != release {
		return nil, errors.Errorf("this is the kernel %s", is)
	}
	data, err := vmlinuz.Unpack(file)
	if err != nil {
		return nil, err
	}
	im, err := parseImage(data)
	if err != nil {
		return nil, err
	}
	buildID, err := im.buildID()
	if err != nil {
		return nil, err
	}
	list, stext, err := imageFunctions(im)
	if err != nil {
		return nil, err
	}
	var btf []byte
	if s := im.section(".BTF"); s != nil {
		btf = s.data
	}
	return write(release, buildID, encodeIndex(list, stext, len(btf)), btf)
}

// imageFunctions returns the functions in a kernel image, sorted, and _stext.
func imageFunctions(im *image) ([]Func, uint64, error) {
	symbols, err := decodeKallsyms(im)
	if err != nil {
		return nil, 0, err
	}
	l, err := imageLayout(im, symbols)
	if err != nil {
		return nil, 0, err
	}
	list := l.functions(symbols)
	sortFuncs(list)
	return list, l.stext, nil
}

// write writes a kernel to the cache and opens it there. It may have no BTF.
func write(release, buildID string, index, btf []byte) (*Kernel, error) {
	dir := kernelDir(buildID)
	if len(btf) > 0 {
		if err := cache.Write(filepath.Join(dir, "btf"), btf); err != nil {
			return nil, err
		}
	}
	if err := cache.Write(filepath.Join(dir, "symbols"), index); err != nil {
		return nil, err
	}
	return openCached(release, buildID)
}
