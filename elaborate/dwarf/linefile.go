// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gostap/internal/cache"
	"gostap/internal/linetable"
)

// LineFile returns the file of the cache with the lines of all code, encoded by
// package linetable, by offset from base. The first call for a build creates it,
// which takes seconds for a kernel.
func (i *Info) LineFile(base uint64) (path string, err error) {
	path = filepath.Join(i.dir, "lines1")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	table, err := i.lineTableFrom(base)
	if err != nil {
		return "", err
	}
	return path, errors.WithStack(cache.Write(path, table.Encode()))
}

// lineTableFrom returns the lines of all units' code from base on.
func (i *Info) lineTableFrom(base uint64) (*linetable.Table, error) {
	f, err := i.file()
	if err != nil {
		return nil, err
	}
	var b linetable.Builder
	for _, rec := range i.units {
		u, err := f.readUnit(rec.Off) // not cached: it is used once
		if err != nil || !u.hasLines {
			continue
		}
		p, err := u.lineProgram()
		if err != nil {
			continue
		}
		var table lineTable
		if p.run(&table) != nil {
			continue
		}
		for _, row := range table.rows {
			offset := row.Addr - base
			if row.Addr < base || offset >= 1<<32 { // code that the linker has dropped is at 0
				continue
			}
			if row.End {
				row.Line = 0
			}
			b.Add(uint32(offset), table.file(row.File), row.Line)
		}
	}
	return b.Table(), nil
}
