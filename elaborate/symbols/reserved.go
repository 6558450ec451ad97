// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"debug/elf"
	"encoding/binary"

	"github.com/pkg/errors"
)

// Why parts of the code are reserved.
const (
	alternative = iota
	staticBranch
	staticCall
	bug
)

var reservedFor = [...]string{
	alternative:  "an alternative, of which the kernel has chosen one when it booted",
	staticBranch: "a static branch, which the kernel rewrites",
	staticCall:   "a static call, which the kernel rewrites",
	bug:          "a BUG or WARN, whose trap the kernel takes by its address",
}

// The tables of code that the kernel rewrites, or identifies by its address: each
// entry begins with the relative address. The kernel also rewrites indirect calls,
// returns, lock prefixes and calls of paravirt operations, but before they can be
// probed, and one instruction by another.
var codeTables = []struct {
	section     string // in modules
	start, stop string // the labels around it in the kernel
	entry       uint64 // its size
	length, why uint64
	refusal     Refusal // of functions that begin there
}{
	// struct jump_entry { s32 code; s32 target; long key; }, since Linux 4.19
	{"__jump_table", "__start___jump_table", "__stop___jump_table", 16, 5, staticBranch, AtBranch},
	// struct static_call_site { s32 addr; s32 key; }, since Linux 5.10
	{".static_call_sites", "__start_static_call_sites", "__stop_static_call_sites", 8, 5, staticCall, AtCall},
	// struct bug_entry { s32 addr; s32 file; u16 line; u16 flags; }, since Linux 4.6; the trap is ud2
	{"__bug_table", "__start___bug_table", "__stop___bug_table", 12, 2, bug, AtBug},
}

// altInstructions is the section of struct alt_instr { s32 instr; s32 replacement; …;
// u8 instrlen; u8 replacementlen; }, in the kernel and in modules.
const altInstructions = ".altinstructions"

// A codePiece is a section of code, and the parts of it that are reserved.
type codePiece struct {
	name     string
	bytes    []byte
	reserved []reservation
}

type reservation struct{ offset, length, why uint64 }

func (p *codePiece) reserve(offset, length, why uint64) {
	if offset >= uint64(len(p.bytes)) || length == 0 {
		return
	}
	if why == staticBranch && isShort(p.bytes[offset:]) {
		length = 2
	}
	p.reserved = append(p.reserved, reservation{offset, length, why})
}

// isShort reports whether a static branch is one of two bytes: a jump or a nop.
func isShort(code []byte) bool {
	return code[0] == 0xeb || len(code) > 1 && code[0] == 0x66 && code[1] == 0x90
}

// readCode reads the code out of the kernel's image.
func (k *Kernel) readCode(altInstr int64) (*codePiece, error) {
	im, err := k.image()
	if err != nil {
		return nil, err
	}
	piece := &codePiece{name: kernelCode, bytes: im.at(k.x.stext)}
	if piece.bytes == nil {
		return nil, errors.Errorf("the kernel's image has no code at %#x", k.x.stext)
	}
	if s := im.section(altInstructions); s != nil && altInstr >= 10 {
		for at := int64(0); at+altInstr <= int64(len(s.data)); at += altInstr {
			entry := s.data[at : at+altInstr]
			piece.reserve(relative(s.addr+uint64(at), entry)-k.x.stext, uint64(entry[altInstr-2]), alternative)
		}
	}
	for _, t := range codeTables {
		start, err := k.mark(t.start)
		if err != nil {
			return nil, err
		}
		stop, err := k.mark(t.stop)
		if err != nil {
			return nil, err
		}
		for table, at := im.between(start, stop), start; uint64(len(table)) >= t.entry; table, at = table[t.entry:], at+t.entry {
			piece.reserve(relative(at, table)-k.x.stext, t.length, t.why)
		}
	}
	return piece, nil
}

// code returns a module's sections of code.
func (m *moduleFile) code(altInstr int64) []*codePiece {
	var list []*codePiece
	pieces := map[elf.SectionIndex]*codePiece{}
	for n, s := range m.elf.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_EXECINSTR == 0 || m.section(s.Name) != s {
			continue
		}
		piece := &codePiece{name: s.Name, bytes: m.data(s.Name)}
		list = append(list, piece)
		pieces[elf.SectionIndex(n)] = piece
	}
	if data := m.data(altInstructions); altInstr >= 10 {
		for at, to := range m.pointers(altInstructions) {
			if at%uint64(altInstr) == 0 && at+uint64(altInstr) <= uint64(len(data)) && pieces[to.section] != nil {
				pieces[to.section].reserve(to.offset, uint64(data[at+uint64(altInstr)-2]), alternative)
			}
		}
	}
	for _, t := range codeTables {
		for at, to := range m.pointers(t.section) {
			if at%t.entry == 0 && pieces[to.section] != nil {
				pieces[to.section].reserve(to.offset, t.length, t.why)
			}
		}
	}
	return list
}

// mark returns the address, as linked, of a label.
func (k *Kernel) mark(name string) (uint64, error) {
	list, err := k.Objects(name)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return k.x.stext + uint64(list[0].Offset), nil
}

// relative returns the target of the first four bytes of field, a relative address at addr.
func relative(addr uint64, field []byte) uint64 {
	return addr + uint64(int64(int32(binary.LittleEndian.Uint32(field))))
}
