// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"debug/dwarf"
	"sync"
)

// lineTables are those of an image's DWARF.
type lineTables struct {
	mu   sync.Mutex
	data *dwarf.Data
}

// Line returns the source's file and line at addr, as linked; false if that is not known.
func (im *Image) Line(addr uint64) (file string, line int, ok bool) {
	im.linesOnce.Do(func() { im.lines = im.readLines() })
	if im.lines == nil {
		return "", 0, false
	}
	return im.lines.find(addr)
}

func (im *Image) readLines() *lineTables {
	e := im.elf
	if e.Section(".debug_info") == nil && e.Section(".zdebug_info") == nil {
		debug, file := separateDebugInfo(im.BuildID)
		if debug == nil {
			return nil
		}
		defer file.Close() // DWARF reads all that it needs at once
		e = debug
	}
	data, err := e.DWARF()
	if err != nil {
		return nil
	}
	return &lineTables{data: data}
}

// find looks for the row that covers addr. Damaged DWARF, at which the reader may panic, has no lines.
func (l *lineTables) find(addr uint64) (file string, line int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	unit, err := l.data.Reader().SeekPC(addr)
	if err != nil {
		return "", 0, false
	}
	rows, err := l.data.LineReader(unit)
	if err != nil || rows == nil {
		return "", 0, false
	}
	var row dwarf.LineEntry
	if rows.SeekPC(addr, &row) != nil || row.File == nil {
		return "", 0, false
	}
	return row.File.Name, row.Line, true
}
