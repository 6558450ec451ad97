// SPDX-License-Identifier: GPL-2.0-or-later

package probecache

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/internal/cache"
)

// Entries go to other machines as a tar archive of their files: KERNEL.debug
// and KERNEL/MODULE.debug, where KERNEL is a build-id.

// tarEnd is the least number of zeros at an archive's end (POSIX.1, pax): without them it is truncated.
const tarEnd = 1024

// Export returns all entries as one file, for Import.
func (c *Cache) Export() ([]byte, error) {
	list, err := c.Entries()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, c.empty()
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range list {
		name, err := filepath.Rel(dwarf.SubsetDir(), e.Path)
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(e.data))})
		}
		if err == nil {
			_, err = w.Write(e.data)
		}
		if err != nil {
			return nil, errors.WithStack(err)
		}
	}
	err = w.Close()
	return out.Bytes(), errors.WithStack(err)
}

// // Import replaces the cache by an archive that Export has made on another machine. installed returns the build-id of an installed module.
func (c *Cache) Import(file string, installed func(module string) (buildID string, ok bool)) ([]Entry, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if !bytes.HasSuffix(data, make([]byte, tarEnd)) {
		return nil, notExported(file)
	}
	var list []Entry
	archive := tar.NewReader(bytes.NewReader(data))
	for {
		e, err := c.next(archive, file, installed)
		var mismatch *dwarf.MismatchError
		switch {
		case errors.Is(err, io.EOF) && len(list) > 0:
			return list, c.replace(list)
		case errors.As(err, &mismatch):
			return nil, err
		case err != nil:
			return nil, errors.WithMessage(err, notExported(file).Error())
		}
		list = append(list, e)
	}
}

// replace replaces all entries of the cache.
func (c *Cache) replace(list []Entry) error {
	if err := dwarf.RemoveSubset(c.BuildID); err != nil {
		return err
	}
	for _, e := range list {
		if err := cache.Write(e.Path, e.data); err != nil {
			return err
		}
	}
	return nil
}

func notExported(file string) error {
	return errors.New(file + " is not what gostap probe-cache --export writes, or not all of it")
}

// next reads the next file of an archive, and checks that its build-id is that of
// the kernel, or of the module if it is installed.
func (c *Cache) next(archive *tar.Reader, file string, installed func(module string) (string, bool)) (e Entry, err error) {
	header, err := archive.Next()
	for err == nil && header.Typeflag == tar.TypeDir { // which tar(1) adds
		header, err = archive.Next()
	}
	if err != nil {
		return e, err
	}
	name, ok := strings.CutSuffix(header.Name, dwarf.SubsetSuffix)
	kernel, module, _ := strings.Cut(name, "/")
	if !ok || kernel == "" || module != "" && (module != filepath.Base(module) || module == "..") {
		return e, errors.Errorf("it has a file %q", header.Name)
	}
	if e.data, err = io.ReadAll(archive); err != nil {
		return e, err
	}
	has, points, err := dwarf.ReadSubset(header.Name, e.data)
	if err != nil {
		return e, err
	}
	if kernel != c.BuildID {
		return e, &dwarf.MismatchError{Path: file, Has: kernel, Want: c.BuildID}
	}
	want, known := c.BuildID, true
	if module != "" {
		want, known = installed(module)
	}
	if known && has != want {
		return e, errors.WithMessagef(&dwarf.MismatchError{Path: file, Has: has, Want: want}, "%s", symbols.Title(module, c.Release))
	}
	e.Module, e.Path, e.Points = module, dwarf.SubsetPath(c.BuildID, module), points
	return e, nil
}
