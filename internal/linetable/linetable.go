// SPDX-License-Identifier: GPL-2.0-or-later

// Package linetable makes tables of the source lines of a file's machine code, in
// the form in which the runtime searches them.
//
//	var b linetable.Builder
//	b.Add(0x10, "fs/open.c", 12) // from 0x10 on it is that line
//	b.Add(0x40, "", 0)           // from 0x40 on nothing is known
//	t := b.Table()
//	file, line, ok := t.Find(0x20)
package linetable

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"unsafe"

	"github.com/pkg/errors"
)

// A Row is the line of the code from Offset on, up to the next row. It is struct gs_image_line of
// runtime-c/include/protocol.h.
type Row struct {
	Offset uint32
	File   uint32 // where in Table.Names the file's path begins
	Line   uint32 // 0: nothing is known
}

// A Table is searched by offset.
type Table struct {
	Rows  []Row  // Offset ascends
	Names []byte // paths, each with its NUL
}

// A Builder collects rows in any order.
type Builder struct {
	rows  []Row
	names []byte
	files map[string]uint32
}

// Add adds a row: from offset on the code is of that line; line 0 ends a piece of code.
func (b *Builder) Add(offset uint32, file string, line uint32) {
	row := Row{Offset: offset, Line: line}
	if line != 0 {
		row.File = b.file(file)
	}
	b.rows = append(b.rows, row)
}

func (b *Builder) file(path string) uint32 {
	at, known := b.files[path]
	if !known {
		if b.files == nil {
			b.files = map[string]uint32{}
		}
		at = uint32(len(b.names))
		b.files[path] = at
		b.names = append(append(b.names, path...), 0)
	}
	return at
}

// Table returns the table of the added rows. If several rows have the same offset, the last one is
// used, except that the end of a piece of code does not replace the beginning of another.
func (b *Builder) Table() *Table {
	slices.SortStableFunc(b.rows, func(x, y Row) int {
		if c := cmp.Compare(x.Offset, y.Offset); c != 0 || (x.Line == 0) == (y.Line == 0) {
			return c
		}
		if x.Line == 0 {
			return -1
		}
		return 1
	})
	t := &Table{Names: b.names}
	for _, row := range b.rows {
		n := len(t.Rows)
		if n > 0 && t.Rows[n-1].Offset == row.Offset {
			n--
		}
		t.Rows = t.Rows[:n]
		if n > 0 && t.Rows[n-1].File == row.File && t.Rows[n-1].Line == row.Line {
			continue
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = slices.Clip(t.Rows)
	return t
}

// Find returns the file and line of the code at an offset; false if they are not known.
func (t *Table) Find(offset uint32) (file string, line int, ok bool) {
	i := sort.Search(len(t.Rows), func(i int) bool { return t.Rows[i].Offset > offset })
	if i == 0 || t.Rows[i-1].Line == 0 {
		return "", 0, false
	}
	row := t.Rows[i-1]
	if int(row.File) >= len(t.Names) {
		return "", 0, false
	}
	name, _, _ := bytes.Cut(t.Names[row.File:], []byte{0})
	return string(name), int(row.Line), true
}

// A file with a table is this, the rows and the names, in the machine's byte order.
type fileHeader struct {
	magic       [8]byte
	rows, names uint64
}

var magic = [8]byte{'g', 's', 'l', 'i', 'n', 'e', 's', '1'}

// Encode returns the table as a file's content.
func (t *Table) Encode() []byte {
	h := fileHeader{magic, uint64(len(t.Rows)), uint64(len(t.Names))}
	data := slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)))
	data = append(data, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.Rows))), uintptr(len(t.Rows))*unsafe.Sizeof(Row{}))...)
	return append(data, t.Names...)
}

// Decode returns the table that Encode has written to data, which it refers to.
func Decode(data []byte) (*Table, error) {
	damaged := errors.New("the table of lines is damaged")
	var h fileHeader
	size := unsafe.Sizeof(h)
	if uintptr(len(data)) < size {
		return nil, damaged
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), size), data)
	rest := uint64(len(data)) - uint64(size)
	if h.magic != magic || h.rows > rest/uint64(unsafe.Sizeof(Row{})) || rest-h.rows*uint64(unsafe.Sizeof(Row{})) != h.names {
		return nil, damaged
	}
	t := &Table{Names: data[uint64(len(data))-h.names:]}
	if h.rows > 0 {
		t.Rows = unsafe.Slice((*Row)(unsafe.Pointer(&data[size])), h.rows)
	}
	return t, nil
}
