// SPDX-License-Identifier: GPL-2.0-or-later

// Package gopclntab reads the table of Go's runtime with functions, lines (gopclntab.go) and frames
// (frames.go). Stripped programs have it, too: src/runtime/symtab.go in the Go tree, and package debug/gosym, which decodes it.
package gopclntab

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"

	"github.com/pkg/errors"
)

// A Func is a function's code.
type Func struct {
	Name       string
	Addr, Size uint64 // as linked
}

// A Table is a program's table.
type Table struct {
	Funcs []Func // by address
	lines *gosym.Table
	data  []byte
	start uint64 // the base of functions' addresses
}

// ErrNone is the error for a file without such a table.
var ErrNone = errors.New("it has no .gopclntab")

const (
	maxTable = 1 << 30 // bytes
	maxData  = 64 << 20
)

// sections are the linker's names of the table's section, in ordinary and in position-independent
// programs.
var sections = []string{".gopclntab", ".data.rel.ro.gopclntab"}

// Has reports whether a file has such a table.
func Has(e *elf.File) bool { return section(e) != nil }

func section(e *elf.File) *elf.Section {
	for _, name := range sections {
		if s := e.Section(name); s != nil && s.Type != elf.SHT_NOBITS {
			return s
		}
	}
	return nil
}

// Read reads the table of a file.
func Read(e *elf.File) (t *Table, err error) {
	defer func() {
		if recover() != nil {
			t, err = nil, errors.New("damaged .gopclntab")
		}
	}()
	s := section(e)
	if s == nil {
		return nil, ErrNone
	}
	if s.Size > maxTable {
		return nil, errors.Errorf(".gopclntab of %d bytes", s.Size)
	}
	data, err := s.Data()
	if err != nil {
		return nil, errors.Wrap(err, ".gopclntab")
	}
	// The header: four bytes that tell the version, 0, 0, two sizes, then how many functions and files there are.
	if len(data) < 24 || binary.LittleEndian.Uint64(data[8:]) > s.Size/8 || binary.LittleEndian.Uint64(data[16:]) > s.Size {
		return nil, errors.New("damaged .gopclntab")
	}
	start := textStart(e, s)
	lines, err := gosym.NewTable(nil, gosym.NewLineTable(data, start))
	if err != nil {
		return nil, errors.Wrap(err, ".gopclntab")
	}
	t = &Table{lines: lines, data: data, start: start}
	text := e.Section(".text")
	for i := range lines.Funcs {
		f := &lines.Funcs[i]
		if f.Sym == nil || f.Name == "" || f.End <= f.Entry || text != nil && (f.Entry < text.Addr || f.End > text.Addr+text.Size) {
			continue
		}
		t.Funcs = append(t.Funcs, Func{f.Name, f.Entry, f.End - f.Entry})
	}
	return t, nil
}

// textAt is where the runtime's description of the program, which begins with a pointer to the table, has
// the address that functions count from: struct moduledata in src/runtime/symtab.go, since Go 1.18.
const textAt = 8 + 6*24 + 4*8 - 8

// textStart returns the address that the table's functions count from: that of .text, but where C's code comes first.
// The runtime's description of the program says it, if that is not left to the dynamic linker.
func textStart(e *elf.File, table *elf.Section) uint64 {
	start := uint64(0)
	text := e.Section(".text")
	if text != nil {
		start = text.Addr
	}
	for _, name := range []string{".go.module", ".noptrdata", ".data"} {
		s := e.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS || s.Size > maxData {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		for at := 0; at+textAt+8 <= len(data); at += 8 {
			if binary.LittleEndian.Uint64(data[at:]) != table.Addr {
				continue
			}
			if n := binary.LittleEndian.Uint64(data[at+textAt:]); text == nil || n >= text.Addr && n-text.Addr < text.Size {
				return n
			}
		}
	}
	return start
}

// Line returns the source's file and line at addr, as linked; false if that is not known.
func (t *Table) Line(addr uint64) (file string, line int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	file, line, fn := t.lines.PCToLine(addr)
	return file, line, fn != nil && file != ""
}
