// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"debug/elf"

	"github.com/pkg/errors"
)

// relocate returns p, the content of section s of a relocatable file, with the
// addresses that place gave to the sections.
func (f *File) relocate(s *elf.Section, p []byte) ([]byte, error) {
	for _, rela := range f.elf.Sections {
		if rela.Type != elf.SHT_RELA || int(rela.Info) >= len(f.elf.Sections) || f.elf.Sections[rela.Info] != s {
			continue
		}
		entries, err := f.raw(rela)
		if err != nil {
			return nil, err
		}
		if int(rela.Link) >= len(f.elf.Sections) {
			return nil, errDWARF
		}
		symtab, err := f.raw(f.elf.Sections[rela.Link])
		if err != nil {
			return nil, err
		}
		p = bytes.Clone(p)
		if err := f.apply(s, p, entries, symtab); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// apply applies Elf64_Rela entries to p.
func (f *File) apply(s *elf.Section, p, entries, symtab []byte) error {
	const relaSize, symSize = 24, 24
	for ; len(entries) >= relaSize; entries = entries[relaSize:] {
		off, info, addend := le.Uint64(entries), le.Uint64(entries[8:]), le.Uint64(entries[16:])
		sym := bufAt(symtab, (info>>32)*symSize+6)
		section, value := sym.u16(), sym.u64()
		if sym.bad {
			return errDWARF
		}
		if int(section) < len(f.elf.Sections) {
			value += f.elf.Sections[section].Addr
		}
		value += addend
		size := uint64(8)
		switch kind := elf.R_X86_64(info & 0xffffffff); kind {
		case elf.R_X86_64_64:
		case elf.R_X86_64_32, elf.R_X86_64_32S:
			size = 4
		case elf.R_X86_64_PC32, elf.R_X86_64_PLT32:
			size = 4
			value -= s.Addr + off
		case elf.R_X86_64_NONE:
			continue
		default:
			return errors.Errorf("relocation of type %v", kind)
		}
		if off > uint64(len(p)) || size > uint64(len(p))-off {
			return errDWARF
		}
		if size == 8 {
			le.PutUint64(p[off:], value)
		} else {
			le.PutUint32(p[off:], uint32(value))
		}
	}
	return nil
}
