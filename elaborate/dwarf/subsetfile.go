// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// pointsSection is the section of a subset with the probe points that it was made
// for, a line each.
const pointsSection = ".gostap.points"

// Subsets are files NAME.debug, with their indexes beside them.
const (
	SubsetSuffix      = ".debug"
	subsetIndexSuffix = ".index"
)

// SubsetDir is the folder with the subsets of kernels' debuginfo. Those of a
// kernel's modules are in a folder there that is called as the kernel's is.
func SubsetDir() string { return cache.Path("probes") }

// SubsetPath returns where the subset of the debuginfo of a kernel, by its
// build-id, is kept, or of a module of it, if module is not "".
func SubsetPath(kernel, module string) string {
	return filepath.Join(SubsetDir(), kernel, module) + SubsetSuffix
}

// RemoveSubset removes the subsets of a kernel's debuginfo and of its modules'
// from the cache.
func RemoveSubset(kernel string) error {
	path := strings.TrimSuffix(SubsetPath(kernel, ""), SubsetSuffix)
	for _, name := range []string{path + subsetIndexSuffix, path + SubsetSuffix, path} {
		if err := os.RemoveAll(name); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
}

// ReadSubset reads a subset, and returns the probe points that it holds.
func ReadSubset(path string, data []byte) (buildID string, points []string, err error) {
	f, err := open(path, "", data)
	if err != nil {
		return "", nil, errors.Wrap(err, path)
	}
	points, err = f.points()
	return f.BuildID, points, err
}

// LoadSubset returns the subset at path and the probe points that it holds:
// ErrNone if there is none, a *MismatchError if it is not of the build buildID.
func LoadSubset(path, buildID string) (*Info, []string, error) {
	f := &Finder{}
	info, err := f.Load(strings.TrimSuffix(path, SubsetSuffix)+subsetIndexSuffix, func() (string, error) {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return "", ErrNone
		}
		return path, nil
	}, func(int64, int64) {})
	if err != nil {
		return nil, nil, err
	}
	file, err := info.file()
	if err != nil {
		return nil, nil, err
	}
	if file.BuildID != buildID {
		return nil, nil, &MismatchError{path, file.BuildID, buildID}
	}
	points, err := file.points()
	info.IsSubset = true
	return info, points, err
}

// points returns the probe points that a subset holds.
func (f *File) points() ([]string, error) {
	s := f.elf.Section(pointsSection)
	if s == nil || !f.HasInfo() {
		return nil, errors.Errorf("%s was not made by gostap probe-cache", f.Path)
	}
	p, err := f.raw(s)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(p), "\n"), nil
}
