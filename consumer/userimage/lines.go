// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"
	"sync"
)

// lineTables are the line tables in an image's DWARF.
type lineTables struct {
	mu    sync.Mutex
	data  *dwarf.Data
	units map[dwarf.Offset][]lineRow // units whose lines have been read

	copies map[uint64][]inlinedCall // by address, those that have been looked up
}

// A lineRow is the line of the code from addr on.
type lineRow struct {
	addr uint64
	file *dwarf.LineFile // nil at the end of a sequence
	line int
}

// Line returns the source's file and line at addr, as linked; false if that is not known.
func (im *Image) Line(addr uint64) (file string, line int, ok bool) {
	im.linesOnce.Do(func() { im.lines = im.readLines() })
	if im.lines != nil {
		return im.lines.find(addr)
	}
	if table := im.goTable(); table != nil {
		return table.Line(addr)
	}
	return "", 0, false
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
	return &lineTables{data: data, units: map[dwarf.Offset][]lineRow{}}
}

// find returns the row that covers addr. With damaged DWARF, at which the reader may panic, there is none.
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
	rows, known := l.units[unit.Offset]
	if !known {
		rows = l.readRows(unit)
		l.units[unit.Offset] = rows
	}
	i := sort.Search(len(rows), func(i int) bool { return rows[i].addr > addr })
	if i == 0 || rows[i-1].file == nil {
		return "", 0, false
	}
	return rows[i-1].file.Name, rows[i-1].line, true
}

// maxLineRows bounds the rows of a unit.
const maxLineRows = 1 << 22

// readRows returns a unit's rows by address. The sequences of code are in any order.
func (l *lineTables) readRows(unit *dwarf.Entry) []lineRow {
	reader, err := l.data.LineReader(unit)
	if err != nil || reader == nil {
		return nil
	}
	var rows []lineRow
	for row := (dwarf.LineEntry{}); len(rows) < maxLineRows && reader.Next(&row) == nil; {
		r := lineRow{row.Address, row.File, row.Line}
		if row.EndSequence {
			r.file = nil
		}
		rows = append(rows, r)
	}
	// Another sequence may begin where one ends.
	slices.SortStableFunc(rows, func(a, b lineRow) int {
		if c := cmp.Compare(a.addr, b.addr); c != 0 || (a.file == nil) == (b.file == nil) {
			return c
		}
		if a.file == nil {
			return -1
		}
		return 1
	})
	return rows
}
