// SPDX-License-Identifier: GPL-2.0-or-later

// Package userimage symbolizes addresses of programs and libraries: functions by
// symbol tables (symbols.go, find.go), lines (lines.go) and inlined functions
// (inlined.go) by DWARF. linetable.go makes the table of lines for the kernel side.
package userimage

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"sync"

	"github.com/pkg/errors"

	"gostap/consumer/unwind"
	"gostap/internal/buildid"
	"gostap/internal/gopclntab"
)

// An Image is a program or a library. Its methods may be called from several goroutines.
type Image struct {
	Path    string
	BuildID string // hex, "" if it has none
	elf     *elf.File
	file    io.Closer // nil if there is nothing to close
	loads   []unwind.Segment

	symbolsOnce sync.Once
	symbols     *symbolIndex
	linesOnce   sync.Once
	lines       *lineTables // nil if there is no DWARF
	goTable     func() *gopclntab.Table
}

// Open takes over an open ELF file; path is its name.
func Open(f *os.File, path string) (*Image, error) {
	im, err := open(f, path)
	if err != nil {
		f.Close()
		return nil, errors.Wrap(err, path)
	}
	im.file = f
	return im, nil
}

// OfBytes is Open for a file in memory.
func OfBytes(data []byte, path string) (*Image, error) {
	im, err := open(bytes.NewReader(data), path)
	return im, errors.Wrap(err, path)
}

func open(r io.ReaderAt, path string) (*Image, error) {
	e, err := elf.NewFile(r)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	im := &Image{Path: path, elf: e, BuildID: buildIDOf(e)}
	im.goTable = sync.OnceValue(func() *gopclntab.Table {
		table, err := gopclntab.Read(e)
		if err != nil {
			return nil
		}
		return table
	})
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			im.loads = append(im.loads, unwind.Segment{Addr: p.Vaddr, Offset: p.Off, Size: p.Filesz})
		}
	}
	return im, nil
}

// maxNotes bounds the bytes of notes that are read.
const maxNotes = 1 << 16

func buildIDOf(e *elf.File) string {
	for _, p := range e.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes := make([]byte, min(p.Filesz, maxNotes))
		if n, err := p.ReadAt(notes, 0); err == nil || err == io.EOF {
			if id := buildid.Find(notes[:n]); id != "" {
				return id
			}
		}
	}
	return ""
}

// Close closes the file; data that have been read stay available.
func (im *Image) Close() {
	if im.file != nil {
		im.file.Close()
	}
}

// Table makes the table for unwinding.
func (im *Image) Table() (*unwind.Table, error) { return unwind.OfELF(im.elf) }

// Addr returns the address, as linked, of an offset of the file.
func (im *Image) Addr(offset uint64) (uint64, bool) {
	for _, s := range im.loads {
		if at := offset - s.Offset; at < s.Size {
			return s.Addr + at, true
		}
	}
	return 0, false
}

// Offset is Addr's inverse.
func (im *Image) Offset(addr uint64) (uint64, bool) {
	for _, s := range im.loads {
		if at := addr - s.Addr; at < s.Size {
			return s.Offset + at, true
		}
	}
	return 0, false
}

func (im *Image) index() *symbolIndex {
	im.symbolsOnce.Do(func() { im.symbols = newSymbolIndex(im.elf, im.BuildID, im.goTable) })
	return im.symbols
}

// Symbols returns the symbols of functions and data by ascending address, at most one at each.
func (im *Image) Symbols() []Symbol {
	x := im.index()
	entries := x.all()
	list := make([]Symbol, len(entries))
	for i := range entries {
		s := &entries[i]
		list[i] = Symbol{x.name(s), s.addr, s.size}
	}
	return list
}

// Find returns the symbol that covers addr, as linked; false if none does.
func (im *Image) Find(addr uint64) (Symbol, bool) {
	x := im.index()
	s, ok := x.find(addr)
	if !ok {
		return Symbol{}, false
	}
	return Symbol{x.name(&s), s.addr, s.size}, true
}
