// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"debug/buildinfo"
	"debug/elf"
	"io"
	"os"
	"sync"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/pkg/errors"

	"gostap/elaborate/symbols"
	"gostap/internal/buildid"
	"gostap/internal/gopclntab"
)

// A File is a program or a shared library.
type File struct {
	Path    string // absolute
	BuildID string // hex, "" if it has none
	IsGo    bool   // it is, or has, a program that Go's compiler has made

	elf       *elf.File
	functions func() (*symbols.Functions, error)
	goTables  func() *GoTables
	goVersion func() string
	frames    func() frame.FrameDescriptionEntries // of .eh_frame
}

// maxSection bounds the part of a section that is read: tables of symbols and strings are the largest.
const maxSection = 1 << 30

// Open opens the ELF file path. It stays open as long as the File is used.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := read(path, file)
	if err != nil {
		file.Close()
		return nil, errors.Wrap(err, path)
	}
	return f, nil
}

func read(path string, from io.ReaderAt) (*File, error) {
	e, err := elf.NewFile(from)
	if err != nil {
		return nil, err
	}
	if e.Class != elf.ELFCLASS64 || e.Data != elf.ELFDATA2LSB || e.Machine != elf.EM_X86_64 {
		return nil, errors.Errorf("it is code for %v, %v: only x86-64 is known", e.Class, e.Machine)
	}
	if e.Type != elf.ET_EXEC && e.Type != elf.ET_DYN {
		return nil, errors.Errorf("it is no program and no library, but of type %v", e.Type)
	}
	f := &File{Path: path, elf: e}
	f.BuildID, _ = buildid.Of(e) // "" if the notes are damaged
	f.IsGo = gopclntab.Has(e)
	f.goVersion = sync.OnceValue(func() string {
		info, err := buildinfo.Read(from)
		if err != nil {
			return ""
		}
		return info.GoVersion
	})
	f.functions = sync.OnceValues(f.keptFunctions)
	f.goTables = sync.OnceValue(f.readGoTables)
	f.frames = sync.OnceValue(f.readFrames)
	return f, nil
}

// GoVersion is the version of Go that built the program, "go1.26.1"; "" if it does not say.
func (f *File) GoVersion() string { return f.goVersion() }

// content returns a section's content in the file.
func (f *File) content(s *elf.Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS {
		return nil, nil
	}
	if s.Size > maxSection {
		return nil, errors.Errorf("section %s of %d bytes", s.Name, s.Size)
	}
	data, err := s.Data()
	return data, errors.Wrap(err, "section "+s.Name)
}

// section returns the section of that name and its content, nil if there is none.
func (f *File) section(name string) (*elf.Section, []byte, error) {
	s := f.elf.Section(name)
	if s == nil {
		return nil, nil, nil
	}
	data, err := f.content(s)
	return s, data, err
}

// segment returns the segment with the byte at addr, as linked, that is in the file; nil if there is
// none.
func (f *File) segment(addr uint64) *elf.Prog {
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return p
		}
	}
	return nil
}

// FileOffset returns the offset in the file of the byte at addr, as linked; false if the file does not contain it.
func (f *File) FileOffset(addr uint64) (uint64, bool) {
	p := f.segment(addr)
	if p == nil {
		return 0, false
	}
	return addr - p.Vaddr + p.Off, true
}

// AddressAt returns the address, as linked, of the byte at an offset of the file; false if it is not loaded.
func (f *File) AddressAt(offset uint64) (uint64, bool) {
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD && offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// IsCode reports whether addr, as linked, is in a segment that can be executed.
func (f *File) IsCode(addr uint64) bool {
	p := f.segment(addr)
	return p != nil && p.Flags&elf.PF_X != 0
}

// Code returns up to n bytes of the file at addr, as linked; none if they are not in it.
func (f *File) Code(addr uint64, n int) []byte {
	p := f.segment(addr)
	if p == nil {
		return nil
	}
	code := make([]byte, min(uint64(n), p.Filesz-(addr-p.Vaddr)))
	got, _ := p.ReadAt(code, int64(addr-p.Vaddr))
	return code[:got]
}
