// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"debug/elf"

	"github.com/pkg/errors"

	"gostap/internal/buildid"
)

// An image is a decompressed kernel: a stripped ELF file, section by section.
type image struct {
	sections []section
}

// A section's data is a part of the file; sections without are left out.
type section struct {
	name string
	addr uint64
	data []byte
}

func parseImage(file []byte) (*image, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, errors.Wrap(err, "kernel image")
	}
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Machine != elf.EM_X86_64 {
		return nil, errors.Errorf("kernel image: %v %v: only x86-64 is known", f.Class, f.Machine)
	}
	im := &image{}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL || s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		if s.Offset > uint64(len(file)) || s.FileSize > uint64(len(file))-s.Offset || s.Addr+s.FileSize < s.Addr {
			return nil, errors.Errorf("kernel image: section %s lies outside the file", s.Name)
		}
		im.sections = append(im.sections, section{s.Name, s.Addr, file[s.Offset : s.Offset+s.FileSize]})
	}
	return im, nil
}

// section returns the data of the section of that name, nil if there is none.
func (im *image) section(name string) *section {
	for i := range im.sections {
		if im.sections[i].name == name {
			return &im.sections[i]
		}
	}
	return nil
}

// at returns the bytes from addr to the end of its section, nil if there are none.
func (im *image) at(addr uint64) []byte {
	for i := range im.sections {
		s := &im.sections[i]
		// Per-CPU data is linked at 0: no pointer means that.
		if s.addr != 0 && addr >= s.addr && addr-s.addr < uint64(len(s.data)) {
			return s.data[addr-s.addr:]
		}
	}
	return nil
}

// between returns the bytes from start to end, nil if they are not all there.
func (im *image) between(start, end uint64) []byte {
	data := im.at(start)
	if end < start || end-start > uint64(len(data)) {
		return nil
	}
	return data[:end-start]
}

// buildID returns the GNU build-id in hex.
func (im *image) buildID() (string, error) {
	s := im.section(".notes")
	if s == nil {
		return "", errors.New("kernel image: no section .notes")
	}
	id := buildid.Find(s.data)
	if id == "" {
		return "", errors.New("kernel image: no build-id")
	}
	return id, nil
}
