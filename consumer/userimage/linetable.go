// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"debug/dwarf"

	"gostap/internal/linetable"
)

// LineTable returns the lines of all of the image's code by offset in the file;
// nil if there is no debuginfo. A large program's take seconds: once ended is
// closed, the table is only of those that have been read.
func (im *Image) LineTable(ended <-chan struct{}) *linetable.Table {
	im.linesOnce.Do(func() { im.lines = im.readLines() })
	if im.lines == nil {
		return nil
	}
	var b linetable.Builder
	im.lines.each(ended, func(row lineRow) {
		if row.file == nil {
			if end, ok := im.Offset(row.addr - 1); ok && end+1 < 1<<32 {
				b.Add(uint32(end+1), "", 0)
			}
			return
		}
		if at, ok := im.Offset(row.addr); ok && at < 1<<32 {
			b.Add(uint32(at), row.file.Name, uint32(row.line))
		}
	})
	return b.Table()
}

// each calls yield with all rows, those of each unit by address. It ends when
// ended is closed, and at damaged DWARF, at which the reader may panic.
func (l *lineTables) each(ended <-chan struct{}, yield func(lineRow)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { recover() }()
	for r := l.data.Reader(); ; r.SkipChildren() {
		select {
		case <-ended:
			return
		default:
		}
		unit, err := r.Next()
		if err != nil || unit == nil {
			return
		}
		if unit.Tag != dwarf.TagCompileUnit && unit.Tag != dwarf.TagSkeletonUnit {
			continue
		}
		for _, row := range l.readRows(unit) {
			yield(row)
		}
	}
}
