// SPDX-License-Identifier: GPL-2.0-or-later

package probecache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// A Cache is the probe cache for one build of a kernel.
type Cache struct {
	Release string // the kernel's
	BuildID string // the kernel's
}

// An Entry is the cache's subset of the debuginfo of the kernel itself, or of a module.
type Entry struct {
	Module string // "" for the kernel itself
	Path   string
	Points []string // as scripts spell them
	Info   *dwarf.Info

	data []byte
}

// Load reads the entry for the kernel itself or for a module, of which buildID
// is the build-id: dwarf.ErrNone if there is none.
func (c *Cache) Load(module, buildID string) (*Entry, error) {
	path := dwarf.SubsetPath(c.BuildID, module)
	info, points, err := dwarf.LoadSubset(path, buildID)
	var mismatch *dwarf.MismatchError
	switch {
	case errors.As(err, &mismatch):
		return nil, errors.WithMessage(err, "the probe cache holds what has changed since")
	case err == nil || errors.Is(err, dwarf.ErrNone):
		return &Entry{Module: module, Path: path, Points: points, Info: info}, err
	}
	return nil, c.damaged(err)
}

// damaged wraps an error in reading a file of the probe cache.
func (c *Cache) damaged(err error) error {
	return errors.WithMessage(err, "the probe cache is damaged (gostap probe-cache --remove -r "+c.Release+" empties it)")
}

// Has reports whether the entry has all that the debuginfo has for a probe
// point in the same kernel or module.
func (e *Entry) Has(point *syntax.ProbePoint) bool {
	p := probepoint.Point{ProbePoint: point}
	if p.Has("statement") && p.Text("statement") == "" {
		_, _, err := e.Info.StatementAt(uint64(p.Number("statement", 0)))
		return err == nil
	}
	text := p.Inner()
	return slices.ContainsFunc(e.Points, func(have string) bool {
		points, diags := syntax.ParseProbePoint(have, &syntax.Env{})
		if diags.Err() != nil || len(points) != 1 {
			return false
		}
		kept := probepoint.Point{ProbePoint: points[0]}
		return kept.Inner() == text || !p.Has("callee") && !p.Has("callees") && probepoint.Within(p.Functions(), kept.Functions())
	})
}

// Entries returns all entries: first that of the kernel itself, then those of modules, by name.
func (c *Cache) Entries() ([]Entry, error) {
	paths := []string{dwarf.SubsetPath(c.BuildID, "")}
	modules, err := filepath.Glob(dwarf.SubsetPath(c.BuildID, "*"))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var list []Entry
	for _, file := range append(paths, modules...) {
		data, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, errors.WithStack(err)
		}
		_, points, err := dwarf.ReadSubset(file, data)
		if err != nil {
			return nil, c.damaged(err)
		}
		e := Entry{Path: file, Points: points, data: data}
		if file != paths[0] {
			e.Module = strings.TrimSuffix(filepath.Base(file), dwarf.SubsetSuffix)
		}
		list = append(list, e)
	}
	return list, nil
}

// Remove empties the cache.
func (c *Cache) Remove() error {
	paths, err := filepath.Glob(dwarf.SubsetPath(c.BuildID, "*"))
	if _, none := os.Stat(dwarf.SubsetPath(c.BuildID, "")); err == nil && none != nil && len(paths) == 0 {
		return c.empty()
	}
	return dwarf.RemoveSubset(c.BuildID)
}

func (c *Cache) empty() error {
	return errors.Errorf("nothing is kept for kernel %s: gostap probe-cache --add POINT", c.Release)
}
