// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"debug/elf"
	"encoding/binary"
	"slices"
)

// ThreadVariables returns how far below the thread pointer the program's thread-local variables begin; false for a library,
// or if there are none. (ELF Handling For Thread-Local Storage, variant II.)
func (f *File) ThreadVariables() (below uint64, ok bool) {
	if f.isLibrary() {
		return 0, false
	}
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_TLS && p.Memsz < 1<<32 {
			align := max(p.Align, 1)
			return (p.Memsz + align - 1) / align * align, true
		}
	}
	return 0, false
}

// InitialVariables returns the address, as linked, of the initial values of a library's thread-local
// variables, which are copied for each thread; false for a variable in .tbss, which has no initial
// value in the file.
func (f *File) InitialVariables(offset int64) (addr uint64, ok bool) {
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_TLS && offset >= 0 && uint64(offset) < p.Filesz {
			return p.Vaddr, true
		}
	}
	return 0, false
}

func (f *File) isLibrary() bool {
	const flags1PIE = 0x08000000 // DF_1_PIE
	if f.elf.Type != elf.ET_DYN {
		return false
	}
	flags, err := f.elf.DynValue(elf.DT_FLAGS_1)
	return err != nil || len(flags) == 0 || flags[0]&flags1PIE == 0
}

// A ThreadSlot is a word of a library by which its code finds its thread-local variables. The dynamic linker fills it
// in.
type ThreadSlot struct {
	Addr   uint64 // as linked
	Number bool   // it contains the library's module ID; else the offset of the variables from the thread pointer,
	Addend int64  // plus Addend
}

// ThreadSlot returns a slot of a library, by its relocations; false if there is none, for a program, and if it has
// only the module ID and the C library is not glibc: other C libraries lay the dynamic thread vector out differently.
// Slots of symbols that the library defines come last: another library could define them, too, and take their place.
func (f *File) ThreadSlot() (slot ThreadSlot, ok bool) {
	if !f.isLibrary() || f.elf.Machine != elf.EM_X86_64 {
		return slot, false
	}
	libraries, _ := f.elf.ImportedLibraries()
	glibc := slices.Contains(libraries, "libc.so.6") || slices.Contains(libraries, "ld-linux-x86-64.so.2")
	symbols, _ := f.elf.DynamicSymbols() // without the first, which is none
	best := 4
	for _, s := range f.elf.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := f.content(s)
		if err != nil {
			continue
		}
		for ; len(data) >= 24; data = data[24:] {
			addr, info, addend := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[16:])
			found, rank := ThreadSlot{Addr: addr, Addend: int64(addend)}, 0
			if i := info >> 32; i > uint64(len(symbols)) || i > 0 && symbols[i-1].Section == elf.SHN_UNDEF {
				continue // in another library
			} else if i > 0 {
				found.Addend += int64(symbols[i-1].Value)
				rank = 2
			}
			switch elf.R_X86_64(uint32(info)) {
			case elf.R_X86_64_TPOFF64:
			case elf.R_X86_64_DTPMOD64:
				if !glibc {
					continue
				}
				found = ThreadSlot{Addr: addr, Number: true}
				rank++
			default:
				continue
			}
			if rank < best {
				slot, ok, best = found, true, rank
			}
		}
	}
	return slot, ok
}
