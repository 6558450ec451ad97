// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/therootcompany/xz"

	"gostap/internal/gopclntab"
	"gostap/internal/qualified"
)

// A Symbol is a piece of code or data.
type Symbol struct {
	Name       string // as the source spells it, if it is C++'s or Rust's
	Addr, Size uint64 // as linked; an unknown size is the distance to the next symbol
}

// A symbolIndex finds symbols. Names are only read of those that are found.
type symbolIndex struct {
	tables  []symbolTable
	strings [][]byte      // string tables
	named   []symbolEntry // symbols that are in no symbol table, of Go
	ends    []uint64      // where sections of code and data end, ascending

	mu      sync.Mutex
	scans   int           // how many look-ups there have been without entries
	settled bool          // entries has been built
	entries []symbolEntry // by address, at most one at each
}

// A symbolTable is a .symtab or .dynsym.
type symbolTable struct {
	data  []byte
	names uint16 // which string table
}

// A symbolEntry is a symbol in a table.
type symbolEntry struct {
	addr, size uint64
	name       uint32 // where it begins in its string table
	table      uint16 // which one
	info       uint8  // st_info
}

// newSymbolIndex reads the symbols of a file: of its own tables, of MiniDebugInfo
// (a compressed ELF file in .gnu_debugdata), and of the separate debuginfo of its build-id; without a table of its own
// also the functions in Go's run-time table.
func newSymbolIndex(e *elf.File, buildID string, goTable func() *gopclntab.Table) *symbolIndex {
	x := &symbolIndex{ends: codeEnds(e)}
	x.read(e)
	if e.Section(".symtab") == nil {
		if mini := miniDebugInfo(e); mini != nil {
			x.read(mini)
		}
		if debug, file := separateDebugInfo(buildID); debug != nil {
			x.read(debug)
			file.Close()
		}
		if table := goTable(); table != nil {
			x.readGo(table)
		}
	}
	return x
}

// read adds .symtab and .dynsym, of files whose code is of this machine's kind.
func (x *symbolIndex) read(e *elf.File) {
	if e.Class != elf.ELFCLASS64 || e.Data != elf.ELFDATA2LSB {
		return
	}
	for _, s := range e.Sections {
		if s.Type != elf.SHT_SYMTAB && s.Type != elf.SHT_DYNSYM || int(s.Link) >= len(e.Sections) {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		names, err := e.Sections[s.Link].Data()
		if err != nil {
			continue
		}
		x.tables = append(x.tables, symbolTable{data, uint16(len(x.strings))})
		x.strings = append(x.strings, names)
	}
}

// readGo adds the functions in Go's run-time table.
func (x *symbolIndex) readGo(table *gopclntab.Table) {
	var names []byte
	for _, f := range table.Funcs {
		x.named = append(x.named, symbolEntry{addr: f.Addr, size: f.Size, name: uint32(len(names)), table: uint16(len(x.strings)),
			info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC)})
		names = append(append(names, f.Name...), 0)
	}
	x.strings = append(x.strings, names)
}

// each hands over the symbols that may be taken.
func (x *symbolIndex) each(visit func(s symbolEntry)) {
	for i := range x.tables {
		t := &x.tables[i]
		names := x.strings[t.names]
		for data := t.data; len(data) >= elf.Sym64Size; data = data[elf.Sym64Size:] {
			if s, ok := symbolEntryOf(data, names); ok {
				s.table = t.names
				visit(s)
			}
		}
	}
	for _, s := range x.named {
		visit(s)
	}
}

// symbolEntryOf reads a symbol of an ELF file's table; false if it is not used.
func symbolEntryOf(data, names []byte) (s symbolEntry, ok bool) {
	data = data[:elf.Sym64Size]
	kind := elf.ST_TYPE(data[4])
	section := elf.SectionIndex(binary.LittleEndian.Uint16(data[6:]))
	if kind > elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || section == elf.SHN_UNDEF || section >= elf.SHN_LORESERVE {
		return s, false
	}
	s = symbolEntry{addr: binary.LittleEndian.Uint64(data[8:]), size: binary.LittleEndian.Uint64(data[16:]), name: binary.LittleEndian.Uint32(data), info: data[4]}
	return s, uint64(s.name) < uint64(len(names)) && names[s.name] != 0 && s.addr != 0
}

// rank orders symbols at one address: the lowest is used. It prefers the public name, which is global and does not begin
// with the underscores of a library's internal names.
func (x *symbolIndex) rank(s *symbolEntry) int {
	rank := 0
	if elf.ST_TYPE(s.info) == elf.STT_NOTYPE {
		rank = 1000
	}
	switch elf.ST_BIND(s.info) {
	case elf.STB_LOCAL:
		rank += 100
	case elf.STB_WEAK:
		rank += 10
	}
	name := x.strings[s.table][s.name:]
	for i := 0; i < min(9, len(name)) && name[i] == '_'; i++ {
		rank++
	}
	return rank
}

// name returns a symbol's name.
func (x *symbolIndex) name(s *symbolEntry) string {
	name := x.strings[s.table][s.name:]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return plain(string(name))
}

// plain returns a name as the source spells it, without the version behind it.
func plain(name string) string {
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	return qualified.Demangled(name)
}

// codeEnds returns where sections of code and data end, ascending.
func codeEnds(e *elf.File) []uint64 {
	var ends []uint64
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 {
			ends = append(ends, s.Addr+s.Size)
		}
	}
	if len(ends) == 0 {
		for _, p := range e.Progs {
			if p.Type == elf.PT_LOAD {
				ends = append(ends, p.Vaddr+p.Memsz)
			}
		}
	}
	slices.Sort(ends)
	return ends
}

// settle chooses one symbol for each address, drops labels in functions, and fills in sizes.
func (x *symbolIndex) settle(list []symbolEntry) []symbolEntry {
	list = x.sortEntries(list)
	out := list[:0]
	covered := uint64(0) // the furthest end of functions so far
	for _, s := range list {
		n := len(out)
		if n > 0 && out[n-1].addr == s.addr {
			out[n-1].size = max(out[n-1].size, s.size)
			covered = max(covered, s.addr+s.size)
			continue
		}
		if s.size == 0 && s.addr < covered {
			continue
		}
		covered = max(covered, s.addr+s.size)
		out = append(out, s)
	}
	for i := range out {
		s := &out[i]
		if s.size == 0 {
			at, _ := slices.BinarySearch(x.ends, s.addr+1)
			if at < len(x.ends) {
				s.size = x.ends[at] - s.addr
			}
			if i+1 < len(out) && (s.size == 0 || out[i+1].addr-s.addr < s.size) {
				s.size = out[i+1].addr - s.addr
			}
		}
	}
	return out
}

// sortEntries sorts symbols by address, and at one address by rank. It is a radix sort by the bytes of the addresses, the lowest first:
// there are tens of thousands of symbols, the first stack waits for it, and it takes a tenth of the time of a comparison sort.
func (x *symbolIndex) sortEntries(list []symbolEntry) []symbolEntry {
	differ := uint64(0) // the bits in which addresses differ
	for i := range list {
		differ |= list[i].addr ^ list[0].addr
	}
	other := make([]symbolEntry, len(list))
	for shift := 0; differ>>shift != 0; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var begin [257]int
		for i := range list {
			begin[list[i].addr>>shift&0xff+1]++
		}
		for i := range begin[1:] {
			begin[i+1] += begin[i]
		}
		for i := range list {
			at := &begin[list[i].addr>>shift&0xff]
			other[*at] = list[i]
			*at++
		}
		list, other = other, list
	}
	for from := 0; from < len(list); {
		behind := from + 1
		for behind < len(list) && list[behind].addr == list[from].addr {
			behind++
		}
		slices.SortFunc(list[from:behind], func(a, b symbolEntry) int {
			return cmp.Or(cmp.Compare(x.rank(&a), x.rank(&b)), cmp.Compare(a.table, b.table), cmp.Compare(a.name, b.name))
		})
		from = behind
	}
	return list
}

// maxMini bounds the unpacked MiniDebugInfo; that of the largest programs takes some MB.
const maxMini = 256 << 20

func miniDebugInfo(e *elf.File) *elf.File {
	s := e.Section(".gnu_debugdata")
	if s == nil || s.Size > maxMini {
		return nil
	}
	packed, err := s.Data()
	if err != nil {
		return nil
	}
	r, err := xz.NewReader(bytes.NewReader(packed), 0)
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMini))
	if err != nil {
		return nil
	}
	mini, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return mini
}

// separateDebugInfo opens the file that distributions install for a build-id; nil if there is none.
func separateDebugInfo(buildID string) (*elf.File, io.Closer) {
	if len(buildID) < 3 {
		return nil, nil
	}
	f, err := os.Open("/usr/lib/debug/.build-id/" + buildID[:2] + "/" + buildID[2:] + ".debug")
	if err != nil {
		return nil, nil
	}
	e, err := elf.NewFile(f)
	if err != nil || buildIDOf(e) != buildID {
		f.Close()
		return nil, nil
	}
	return e, f
}
