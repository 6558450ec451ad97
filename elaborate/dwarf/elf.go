// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/pkg/errors"

	"gostap/internal/buildid"
	"gostap/internal/cache"
)

// A File is an ELF file with debuginfo.
type File struct {
	Path    string
	BuildID string // hex, "" if it has none

	absolute bool   // paths of sources are absolute
	cache    string // a folder for large sections that are compressed, "" for none
	elf      *elf.File
	data     []byte
	sections []Section
	alt      *File // a dwz supplement
	link     string
	altPath  string
	altID    string

	info, abbrev, str, lineStr, strOffsets, addr []byte
	line, loc, loclists, ranges, rnglists        []byte
	frame, ehFrame                               []byte
	typesAt                                      uint32 // the offset in info of .debug_types, a section of DWARF 4
	ehFrameAddr                                  uint64
	parts                                        map[uint32]splitPart // of units of split DWARF, by their offsets in info
	replaced                                     map[uint32]bool      // units that are ignored: skeletons of others

	mu      sync.Mutex
	units   map[uint32]*unit
	offsets []uint32 // of all units
	scanned bool

	signing sync.Once
	signed  map[uint64]uint64 // types by their signatures

	syms  sync.Once
	list  []symbol       // all symbols, by address
	names map[string]int // how many of them have a name

	frames  sync.Once
	entries []frameEntry

	ehFrames   sync.Once
	ehEntries  frame.FrameDescriptionEntries
	ehFrameErr error
}

// A Section of code or data. In a relocatable file, a kernel module for one,
// it gets an address: sections are placed one behind the other.
type Section struct {
	Name       string
	Addr, Size uint64
	Exec       bool
}

// Open opens the ELF file path, which need not have debuginfo: see HasInfo.
func Open(path string) (*File, error) { return openMapped(path, "") }

func openMapped(path, folder string) (*File, error) {
	data, err := cache.Map(path)
	if err != nil {
		return nil, err
	}
	f, err := open(path, folder, data)
	return f, errors.Wrap(err, path)
}

func open(path, folder string, data []byte) (*File, error) {
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if e.Class != elf.ELFCLASS64 || e.Data != elf.ELFDATA2LSB || e.Machine != elf.EM_X86_64 {
		return nil, errors.Errorf("%v %v: only x86-64 is known", e.Class, e.Machine)
	}
	f := &File{Path: path, cache: folder, elf: e, data: data, units: map[uint32]*unit{}}
	if err := f.place(); err != nil {
		return nil, err
	}
	f.readLinks()
	for name, to := range map[string]*[]byte{
		"info": &f.info, "abbrev": &f.abbrev, "str": &f.str, "line_str": &f.lineStr, "str_offsets": &f.strOffsets,
		"addr": &f.addr, "line": &f.line, "loc": &f.loc, "loclists": &f.loclists, "ranges": &f.ranges,
		"rnglists": &f.rnglists, "frame": &f.frame,
	} {
		if *to, err = f.debugSection(name); err != nil {
			return nil, err
		}
	}
	if s := e.Section(".eh_frame"); s != nil && s.Type != elf.SHT_NOBITS {
		if f.ehFrame, err = f.content(s); err != nil {
			return nil, err
		}
		f.ehFrameAddr = s.Addr
	}
	types, err := f.debugSection("types")
	if err != nil {
		return nil, err
	}
	if uint64(len(f.info))+uint64(len(types)) >= 1<<32 {
		return nil, errors.New(".debug_info of more than 4 GiB")
	}
	f.typesAt = uint32(len(f.info))
	if len(types) > 0 {
		f.info = slices.Concat(f.info, types)
	}
	return f, f.readSplit()
}

// HasInfo reports whether the file has debuginfo.
func (f *File) HasInfo() bool { return len(f.info) > 0 && len(f.abbrev) > 0 }

// raw returns a section as it lies in the file.
func (f *File) raw(s *elf.Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS {
		return nil, nil
	}
	if s.Offset > uint64(len(f.data)) || s.FileSize > uint64(len(f.data))-s.Offset {
		return nil, errors.Errorf("section %s lies outside the file", s.Name)
	}
	return f.data[s.Offset : s.Offset+s.FileSize], nil
}

// content returns a section decompressed and relocated.
func (f *File) content(s *elf.Section) ([]byte, error) {
	p, err := f.raw(s)
	if err == nil {
		p, err = f.decompressed(s, p)
	}
	if err == nil && f.elf.Type == elf.ET_REL {
		p, err = f.relocate(s, p)
	}
	return p, errors.Wrap(err, s.Name)
}

// debugSection returns .debug_NAME, or .zdebug_NAME as older files have compressed ones.
func (f *File) debugSection(name string) ([]byte, error) {
	s := f.elf.Section(".debug_" + name)
	if s == nil {
		s = f.elf.Section(".zdebug_" + name)
	}
	if s == nil {
		return nil, nil
	}
	return f.content(s)
}

// place finds the sections of code and data, and gives those of a relocatable
// file addresses.
func (f *File) place() error {
	next := uint64(1 << 16)
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		if f.elf.Type == elf.ET_REL {
			align := max(s.Addralign, 1)
			if s.Size > 1<<31 || align > 1<<20 || align&(align-1) != 0 {
				return errors.Errorf("section %s of %d bytes, aligned to %d", s.Name, s.Size, align)
			}
			s.Addr = (next + align - 1) &^ (align - 1)
			next = s.Addr + s.Size
		}
		f.sections = append(f.sections, Section{s.Name, s.Addr, s.Size, s.Flags&elf.SHF_EXECINSTR != 0})
	}
	return nil
}

// Section returns the section that addr is in.
func (f *File) Section(addr uint64) (Section, bool) {
	for _, s := range f.sections {
		if addr >= s.Addr && addr-s.Addr < s.Size && s.Addr != 0 {
			return s, true
		}
	}
	return Section{}, false
}

// readLinks reads the notes and links to other files.
func (f *File) readLinks() {
	for _, s := range f.elf.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		if p, err := f.raw(s); err == nil && f.BuildID == "" {
			f.BuildID = buildid.Find(p)
		}
	}
	if s := f.elf.Section(".gnu_debuglink"); s != nil {
		if p, err := f.raw(s); err == nil {
			f.link = textAt(p, 0)
		}
	}
	if s := f.elf.Section(".gnu_debugaltlink"); s != nil {
		if p, err := f.raw(s); err == nil {
			f.altPath = textAt(p, 0)
			if n := len(f.altPath) + 1; n < len(p) {
				f.altID = hex.EncodeToString(p[n:])
			}
		}
	}
	if p, err := f.debugSection("sup"); err == nil && len(p) > 3 {
		b := buf{data: p}
		b.u16()
		if b.u8() == 0 { // not itself the supplement
			f.altPath = b.text()
			f.altID = hex.EncodeToString(b.take(b.uleb()))
		}
	}
}

// A symbol is a function's or a variable's in the symbol table.
type symbol struct {
	name     string
	addr     uint64
	function bool
	typed    bool // a function or a variable, not a label
}

// symbols returns the symbols of functions and variables by address, the
// global ones of each address first.
func (f *File) symbols() []symbol {
	type ranked struct {
		symbol
		bind elf.SymBind
	}
	var list []ranked
	all, err := f.elf.Symbols()
	if err != nil {
		return nil
	}
	for i := range all {
		s := &all[i]
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_OBJECT && kind != elf.STT_NOTYPE || s.Name == "" ||
			s.Section == elf.SHN_UNDEF || int(s.Section) >= len(f.elf.Sections) || strings.HasPrefix(s.Name, "__pfx_") {
			continue
		}
		addr := s.Value
		if f.elf.Type == elf.ET_REL {
			addr += f.elf.Sections[s.Section].Addr
		}
		list = append(list, ranked{symbol{s.Name, addr, kind == elf.STT_FUNC, kind != elf.STT_NOTYPE}, elf.ST_BIND(s.Info)})
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		switch {
		case a.addr != b.addr:
			if a.addr < b.addr {
				return -1
			}
			return 1
		case a.function != b.function:
			if a.function {
				return -1
			}
			return 1
		case a.bind != b.bind: // STB_LOCAL is 0, STB_GLOBAL 1, STB_WEAK 2
			order := map[elf.SymBind]int{elf.STB_GLOBAL: 0, elf.STB_LOCAL: 1}
			rank := func(b elf.SymBind) int {
				if n, ok := order[b]; ok {
					return n
				}
				return 2
			}
			return rank(a.bind) - rank(b.bind)
		}
		return 0
	})
	out := make([]symbol, len(list))
	for i := range list {
		out[i] = list[i].symbol
	}
	return out
}

// unit returns the unit at off, which is read once.
func (f *File) unit(off uint32) (*unit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if u := f.units[off]; u != nil {
		return u, nil
	}
	u, err := f.readUnit(off)
	if err == nil {
		f.units[off] = u
	}
	return u, err
}

// dieAt returns the DIE at an offset of .debug_info, be it in any unit.
func (f *File) dieAt(off uint64) (die, bool) {
	f.mu.Lock()
	if !f.scanned {
		f.scanned = true
		if list, err := f.unitHeaders(); err == nil {
			for i := range list {
				f.offsets = append(f.offsets, list[i].off)
			}
		}
	}
	f.mu.Unlock()
	i := sort.Search(len(f.offsets), func(i int) bool { return uint64(f.offsets[i]) > off })
	if i == 0 {
		return die{}, false
	}
	u, err := f.unit(f.offsets[i-1])
	if err != nil || off >= uint64(u.end) {
		return die{}, false
	}
	return u.die(uint32(off))
}
