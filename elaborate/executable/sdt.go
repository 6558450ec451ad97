// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"

	"github.com/pkg/errors"
)

// A Mark is one address of a static mark (SDT, sys/sdt.h).
type Mark struct {
	Provider, Name string
	Addr           uint64   // as linked
	Semaphore      uint64   // the address of its reference counter, as linked; 0 if it has none
	Args           []string // its operands, as the assembler writes them: "-4@%eax"
}

// Marks returns the static marks, by the notes that sys/sdt.h makes.
func (f *File) Marks() ([]Mark, error) {
	var base uint64
	if s := f.elf.Section(".stapsdt.base"); s != nil {
		base = s.Addr
	}
	var list []Mark
	for _, s := range f.elf.Sections {
		if s.Type != elf.SHT_NOTE || s.Name != ".note.stapsdt" {
			continue
		}
		notes, err := f.content(s)
		if err != nil {
			return nil, errors.Wrap(err, f.Path)
		}
		found, err := parseMarks(notes, base)
		if err != nil {
			return nil, errors.Wrapf(err, "%s: its static marks", f.Path)
		}
		list = append(list, found...)
	}
	return list, nil
}

var errNote = errors.New("a note breaks off")

// parseMarks reads notes, which are named stapsdt and have the type 3: the addresses of the
// mark, of .stapsdt.base when it was linked, and of its semaphore; its provider, name
// and operands. base is where .stapsdt.base is now, as prelink moves all addresses.
func parseMarks(notes []byte, base uint64) (list []Mark, err error) {
	const (
		header    = 12
		noteType  = 3
		addresses = 24
	)
	le := binary.LittleEndian
	for len(notes) >= header {
		nameSize, descSize := uint64(le.Uint32(notes)), uint64(le.Uint32(notes[4:]))
		desc := header + (nameSize+3)&^3
		end := desc + descSize
		if end > uint64(len(notes)) {
			return nil, errNote
		}
		if le.Uint32(notes[8:]) == noteType && string(notes[header:header+nameSize]) == "stapsdt\x00" {
			d := notes[desc:end]
			if len(d) < addresses {
				return nil, errNote
			}
			texts := bytes.SplitN(d[addresses:], []byte{0}, 4)
			if len(texts) < 4 {
				return nil, errNote
			}
			m := Mark{Provider: string(texts[0]), Name: string(texts[1]), Addr: le.Uint64(d), Semaphore: le.Uint64(d[16:]),
				Args: strings.Fields(string(texts[2]))}
			if linked := le.Uint64(d[8:]); base != 0 && linked != 0 {
				m.Addr += base - linked
				if m.Semaphore != 0 {
					m.Semaphore += base - linked
				}
			}
			list = append(list, m)
		}
		notes = notes[min((end+3)&^3, uint64(len(notes))):]
	}
	return list, nil
}

// Symbol returns the address, as linked, of the function or variable of that name; false if no symbol tells it.
func (f *File) Symbol(name string) (uint64, bool) {
	for _, read := range []func() ([]elf.Symbol, error){f.elf.Symbols, f.elf.DynamicSymbols} {
		list, _ := read()
		for i := range list {
			if list[i].Name == name && list[i].Section != elf.SHN_UNDEF && elf.ST_TYPE(list[i].Info) != elf.STT_TLS {
				return list[i].Value, true
			}
		}
	}
	return 0, false
}

// GOTSlot returns the address, as linked, of the slot in which the dynamic linker puts a symbol's address; false if there is none.
func (f *File) GOTSlot(symbol string) (uint64, bool) {
	slots, _ := f.slots()
	for addr, name := range slots {
		if name == symbol {
			return addr, true
		}
	}
	return 0, false
}
