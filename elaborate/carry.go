// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/internal/cache"
)

// What the probe cache has for a kernel goes to other machines as a tar archive of
// its files: KERNEL.debug and KERNEL/MODULE.debug, where KERNEL is a build-id.

// tarEnd is how many zeros end an archive, at least (POSIX.1, pax): without them it has been cut off.
const tarEnd = 1024

// A Held is what the probe cache has of the target kernel itself, or of a module.
type Held struct {
	Module string // "" for the kernel itself
	Path   string
	Points []string

	data []byte
}

// Held returns all that the probe cache has for the target: first of the kernel
// itself, then of modules, by name.
func (t *Target) Held() ([]Held, error) {
	kernel, err := t.buildID()
	if err != nil {
		return nil, err
	}
	paths := []string{dwarf.ThinPath(kernel, "")}
	modules, err := filepath.Glob(dwarf.ThinPath(kernel, "*"))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var list []Held
	for _, file := range append(paths, modules...) {
		data, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, errors.WithStack(err)
		}
		_, points, err := dwarf.ReadThin(file, data)
		if err != nil {
			return nil, t.damaged(err)
		}
		h := Held{Path: file, Points: points, data: data}
		if file != paths[0] {
			h.Module = strings.TrimSuffix(filepath.Base(file), dwarf.ThinSuffix)
		}
		list = append(list, h)
	}
	return list, nil
}

// ExportHeld returns what Held does as one file, for ImportHeld.
func (t *Target) ExportHeld() ([]byte, error) {
	list, err := t.Held()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, t.nothingHeld()
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range list {
		name, err := filepath.Rel(dwarf.ThinDir(), h.Path)
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(h.data))})
		}
		if err == nil {
			_, err = w.Write(h.data)
		}
		if err != nil {
			return nil, errors.WithStack(err)
		}
	}
	err = w.Close()
	return out.Bytes(), errors.WithStack(err)
}

// ImportHeld puts what ExportHeld has made on another machine into the probe cache,
// in place of what is there.
func (t *Target) ImportHeld(file string) ([]Held, error) {
	kernel, err := t.buildID()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if !bytes.HasSuffix(data, make([]byte, tarEnd)) {
		return nil, notExported(file)
	}
	var list []Held
	archive := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := t.nextHeld(archive, kernel, file)
		var mismatch *dwarf.MismatchError
		switch {
		case errors.Is(err, io.EOF) && len(list) > 0:
			if err := dwarf.RemoveThin(kernel); err != nil {
				return nil, err
			}
			for _, h := range list {
				if err := cache.Write(h.Path, h.data); err != nil {
					return nil, err
				}
			}
			return list, nil
		case errors.As(err, &mismatch):
			return nil, err
		case err != nil:
			return nil, errors.WithMessage(err, notExported(file).Error())
		}
		list = append(list, h)
	}
}

func notExported(file string) error {
	return errors.New(file + " is not what gostap probe-cache --export writes, or not all of it")
}

// nextHeld reads the next file of an archive, and holds its build-id against that
// of the target, as far as the module is installed.
func (t *Target) nextHeld(archive *tar.Reader, kernel, file string) (h Held, err error) {
	header, err := archive.Next()
	for err == nil && header.Typeflag == tar.TypeDir { // which tar(1) adds
		header, err = archive.Next()
	}
	if err != nil {
		return h, err
	}
	name, ok := strings.CutSuffix(header.Name, dwarf.ThinSuffix)
	of, module, _ := strings.Cut(name, "/")
	if !ok || of == "" || module != "" && (module != filepath.Base(module) || module == "..") {
		return h, errors.Errorf("it has a file %q", header.Name)
	}
	if h.data, err = io.ReadAll(archive); err != nil {
		return h, err
	}
	has, points, err := dwarf.ReadThin(header.Name, h.data)
	if err != nil {
		return h, err
	}
	if of != kernel {
		return h, &dwarf.MismatchError{Path: file, Has: of, Want: kernel}
	}
	want := kernel
	if module != "" {
		want = t.moduleBuildID(module, has)
	}
	if has != want {
		return h, errors.WithMessagef(&dwarf.MismatchError{Path: file, Has: has, Want: want}, "%s", title(module, t.Release))
	}
	h.Module, h.Path, h.Points = module, dwarf.ThinPath(kernel, module), points
	return h, nil
}

// moduleBuildID returns an installed module's build-id; other if none of that name is.
func (t *Target) moduleBuildID(name, other string) string {
	if tree, err := t.modules(); err == nil && tree[name] != "" {
		if m, err := t.module(tree[name]); err == nil {
			if id, err := m.BuildID(); err == nil {
				return id
			}
		}
	}
	return other
}

// RemoveHeld empties the probe cache for the target.
func (t *Target) RemoveHeld() error {
	kernel, err := t.buildID()
	if err != nil {
		return err
	}
	paths, err := filepath.Glob(dwarf.ThinPath(kernel, "*"))
	if _, none := os.Stat(dwarf.ThinPath(kernel, "")); err == nil && none != nil && len(paths) == 0 {
		return t.nothingHeld()
	}
	return dwarf.RemoveThin(kernel)
}

func (t *Target) nothingHeld() error {
	return errors.Errorf("nothing is kept for kernel %s: gostap probe-cache --add POINT", t.Release)
}
