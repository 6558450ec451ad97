// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"github.com/pkg/errors"
)

// A Stub is an entry of the procedure linkage table: code that jumps to a
// function of a library.
type Stub struct {
	Name string
	Addr uint64 // as linked
}

// Stubs returns the entries of the procedure linkage tables, by address: .plt.sec where code may
// be jumped to only at endbr64, .plt where not, and .plt.got for functions that are bound at once.
func (f *File) Stubs() ([]Stub, error) {
	names, err := f.slots()
	if err != nil {
		return nil, errors.Wrap(err, f.Path)
	}
	const entry = 8 // all begin at a multiple of it
	var list []Stub
	for _, name := range []string{".plt", ".plt.sec", ".plt.got"} {
		s, code, err := f.section(name)
		if err != nil {
			return nil, errors.Wrap(err, f.Path)
		}
		for at := 0; at+entry <= len(code); at += entry {
			slot, ok := jumpsThrough(code[at:], s.Addr+uint64(at))
			if name := names[slot]; ok && name != "" {
				list = append(list, Stub{name, s.Addr + uint64(at)})
			}
		}
	}
	return list, nil
}

// jumpsThrough returns the address of the pointer that code at addr jumps through at once.
func jumpsThrough(code []byte, addr uint64) (slot uint64, ok bool) {
	at := len(code)
	for _, prefix := range [][]byte{nil, {0xf3, 0x0f, 0x1e, 0xfa}} { // endbr64
		for _, bound := range [][]byte{nil, {0xf2}} { // bnd
			if start := bytes.Join([][]byte{prefix, bound, {0xff, 0x25}}, nil); bytes.HasPrefix(code, start) { // jmp *N(%rip)
				at = len(start)
			}
		}
	}
	if at+4 > len(code) {
		return 0, false
	}
	return addr + uint64(at) + 4 + uint64(int64(int32(binary.LittleEndian.Uint32(code[at:])))), true
}

// slots returns the names of the functions and variables to which the dynamic linker sets pointers, by the pointers' addresses.
func (f *File) slots() (map[uint64]string, error) {
	symbols, err := f.elf.DynamicSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	const size = 24 // of an Elf64_Rela
	le := binary.LittleEndian
	names := map[uint64]string{}
	for _, s := range f.elf.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		table, err := f.content(s)
		if err != nil {
			return nil, err
		}
		for ; len(table) >= size; table = table[size:] {
			info := le.Uint64(table[8:])
			kind, n := elf.R_X86_64(uint32(info)), info>>32
			if (kind == elf.R_X86_64_JMP_SLOT || kind == elf.R_X86_64_GLOB_DAT) && n > 0 && n <= uint64(len(symbols)) {
				names[le.Uint64(table)] = symbols[n-1].Name
			}
		}
	}
	return names, nil
}
