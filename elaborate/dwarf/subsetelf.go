// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"
)

// An elfWriter makes an ELF file of sections.
type elfWriter struct {
	kind     elf.Type
	headers  []elf.Section64
	names    []byte
	contents []byte
}

const elfHeaderSize = 64

// add adds a section, and returns its number.
func (w *elfWriter) add(name string, s elf.Section64, content []byte) int {
	s.Name = uint32(len(w.names))
	w.names = append(append(w.names, name...), 0)
	s.Off = elfHeaderSize + uint64(len(w.contents))
	if content != nil {
		s.Size = uint64(len(content))
	}
	w.contents = append(w.contents, content...)
	for len(w.contents)%8 != 0 {
		w.contents = append(w.contents, 0)
	}
	w.headers = append(w.headers, s)
	return len(w.headers) - 1
}

// file returns the ELF file. The section headers are last, so that a truncated
// file is invalid.
func (w *elfWriter) file() []byte {
	last := w.add(".shstrtab", elf.Section64{Type: uint32(elf.SHT_STRTAB), Addralign: 1}, append(w.names, ".shstrtab\x00"...))
	h := elf.Header64{Type: uint16(w.kind), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Shoff: elfHeaderSize + uint64(len(w.contents)), Ehsize: elfHeaderSize, Shentsize: 64, Shnum: uint16(len(w.headers)), Shstrndx: uint16(last)}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var out bytes.Buffer
	binary.Write(&out, le, &h)
	out.Write(w.contents)
	binary.Write(&out, le, w.headers)
	return out.Bytes()
}

// write makes the subset.
func (t *subsetWriter) write(points []string) ([]byte, error) {
	w := &elfWriter{kind: t.f.elf.Type}
	w.add("", elf.Section64{}, nil)
	number := map[elf.SectionIndex]uint16{} // of the file's sections
	for n, s := range t.f.elf.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		h := elf.Section64{Type: uint32(elf.SHT_NOBITS), Flags: uint64(s.Flags), Addr: s.Addr, Size: s.Size, Addralign: s.Addralign}
		var content []byte
		if s.Type == elf.SHT_NOTE || s.Name == ".eh_frame" && s.Type != elf.SHT_NOBITS {
			var err error
			if content, err = t.f.content(s); err != nil {
				return nil, err
			}
			h.Type = uint32(s.Type)
		}
		number[elf.SectionIndex(n)] = uint16(w.add(s.Name, h, content))
	}
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	for _, s := range []struct {
		name    string
		content []byte
	}{
		{"info", t.info}, {"types", t.types}, {"abbrev", t.abbrev}, {"str", t.str}, {"line_str", t.f.lineStr}, {"str_offsets", t.strOffsets},
		{"addr", t.addr}, {"line", t.line}, {"loc", t.loc}, {"loclists", t.loclists}, {"ranges", t.ranges},
		{"rnglists", t.rnglists}, {"frame", t.cfi},
	} {
		if len(s.content) == 0 {
			continue
		}
		var packed bytes.Buffer
		binary.Write(&packed, le, elf.Chdr64{Type: uint32(elf.COMPRESS_ZSTD), Size: uint64(len(s.content)), Addralign: 1})
		w.add(".debug_"+s.name, elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_COMPRESSED), Addralign: 1},
			packer.EncodeAll(s.content, packed.Bytes()))
	}
	t.writeSymbols(w, number)
	w.add(pointsSection, elf.Section64{Type: uint32(elf.SHT_PROGBITS), Addralign: 1}, []byte(strings.Join(points, "\n")))
	return w.file(), nil
}

// writeSymbols adds the symbol table.
func (t *subsetWriter) writeSymbols(w *elfWriter, number map[elf.SectionIndex]uint16) {
	var table bytes.Buffer
	binary.Write(&table, le, elf.Sym64{})
	names := []byte{0}
	locals := uint32(1)
	for _, s := range t.symbols() {
		to, ok := number[s.Section]
		if !ok && s.Section != elf.SHN_ABS {
			continue
		} else if !ok {
			to = uint16(elf.SHN_ABS)
		}
		if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			locals++ // which stand first
		}
		binary.Write(&table, le, elf.Sym64{Name: uint32(len(names)), Info: s.Info, Other: s.Other, Shndx: to, Value: s.Value, Size: s.Size})
		names = append(append(names, s.Name...), 0)
	}
	w.add(".symtab", elf.Section64{Type: uint32(elf.SHT_SYMTAB), Link: uint32(len(w.headers) + 1), Info: locals, Addralign: 8, Entsize: elf.Sym64Size}, table.Bytes())
	w.add(".strtab", elf.Section64{Type: uint32(elf.SHT_STRTAB), Addralign: 1}, names)
}
