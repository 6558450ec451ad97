// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/pkg/errors"

	"gostap/internal/cache"
	"gostap/internal/kallsyms"
)

// Code is machine code as it is linked: the kernel's own, or a section of a module.
type Code struct {
	start    uint64 // _stext; 0 in modules
	bytes    []byte
	reserved []byte // records of reservedSize bytes each, by offset
}

// codeFile is the file with the code beside the index of functions, as unpacking an
// image may take seconds. It has for each piece
//
//	name:u32 reserved:u32 code:u32 (their lengths)
//	name, {offset:u32 length:u16 why:u16} for each reserved part, code
const (
	codeFile     = "text"
	reservedSize = 8
	kernelCode   = ".text" // the kernel's only piece
)

// Code returns the kernel's code. altInstr is the size of the kernel's struct
// alt_instr, which has changed over time.
func (k *Kernel) Code(altInstr int64) (*Code, error) {
	pieces, err := keptCode(k.dir, k.x.stext, func() ([]*codePiece, error) {
		piece, err := k.readCode(altInstr)
		return []*codePiece{piece}, err
	})
	if err == nil && pieces[kernelCode] == nil {
		err = errIndex
	}
	return pieces[kernelCode], err
}

// Code returns the module's code, by sections. altInstr is the size of the kernel's
// struct alt_instr.
func (m *Module) Code(altInstr int64) (map[string]*Code, error) {
	return keptCode(m.dir, 0, func() ([]*codePiece, error) {
		file, err := readModule(m.Path)
		if err != nil {
			return nil, err
		}
		f, err := parseModule(file)
		if err != nil {
			return nil, err
		}
		return f.code(altInstr), nil
	})
}

// keptCode returns the code in the file in dir, which read makes if it does not exist.
func keptCode(dir string, start uint64, read func() ([]*codePiece, error)) (map[string]*Code, error) {
	path := filepath.Join(dir, codeFile)
	data, err := cache.Map(path)
	if err != nil {
		pieces, err := read()
		if err != nil {
			return nil, err
		}
		data = encodeCode(pieces)
		if err = cache.Write(path, data); err != nil {
			return nil, err
		}
	}
	return openCode(data, start)
}

func encodeCode(pieces []*codePiece) []byte {
	le := binary.LittleEndian
	var out []byte
	for _, p := range pieces {
		slices.SortFunc(p.reserved, func(a, b reservation) int { return cmp.Compare(a.offset, b.offset) })
		for _, n := range []int{len(p.name), len(p.reserved) * reservedSize, len(p.bytes)} {
			out = le.AppendUint32(out, uint32(n))
		}
		out = append(out, p.name...)
		for _, r := range p.reserved {
			out = le.AppendUint32(out, uint32(r.offset))
			out = le.AppendUint16(out, uint16(r.length))
			out = le.AppendUint16(out, uint16(r.why))
		}
		out = append(out, p.bytes...)
	}
	return out
}

// openCode decodes the data of encodeCode.
func openCode(data []byte, start uint64) (map[string]*Code, error) {
	pieces := map[string]*Code{}
	for len(data) > 0 {
		var parts [3][]byte
		const header = 4 * len(parts)
		if len(data) < header {
			return nil, errIndex
		}
		rest := data[header:]
		for i := range parts {
			n := binary.LittleEndian.Uint32(data[4*i:])
			if uint64(n) > uint64(len(rest)) {
				return nil, errIndex
			}
			parts[i], rest = rest[:n], rest[n:]
		}
		pieces[string(parts[0])] = &Code{start, parts[2], parts[1]}
		data = rest
	}
	return pieces, nil
}

// From returns the code from an address, as linked, on; nil if there is none.
func (c *Code) From(addr uint64) []byte {
	if addr < c.start || addr-c.start >= uint64(len(c.bytes)) {
		return nil
	}
	return c.bytes[addr-c.start:]
}

// Reserved says in what kind of code, where no kprobe may be, an address, as linked, is, for
// instance "a static branch, which the kernel rewrites"; "" if it is in none.
func (c *Code) Reserved(addr uint64) string {
	const longest = 255 // of the parts: the length of an alternative is a byte
	if addr < c.start {
		return ""
	}
	le := binary.LittleEndian
	offset := addr - c.start
	behind := sort.Search(len(c.reserved)/reservedSize, func(i int) bool {
		return uint64(le.Uint32(c.reserved[i*reservedSize:])) > offset
	})
	for i := behind - 1; i >= 0; i-- {
		p := c.reserved[i*reservedSize:]
		start := uint64(le.Uint32(p))
		if start+longest < offset {
			break
		}
		why := int(le.Uint16(p[6:]))
		if why == alternative && offset == start {
			continue // an instruction begins there, whichever was chosen
		}
		if offset < start+uint64(le.Uint16(p[4:])) && why < len(reservedFor) {
			return reservedFor[why]
		}
	}
	return ""
}

// At returns the function that addr, as linked, is in.
func (k *Kernel) At(addr uint64) (Func, bool) {
	for i := range k.Count() {
		if f := k.Func(i); addr >= f.Addr && addr-f.Addr < uint64(f.Size) {
			return f, true
		}
	}
	return Func{}, false
}

// Slide returns the offset of KASLR, if the kernel is the running one; 0 if it is
// not.
func (k *Kernel) Slide() (uint64, error) {
	if k.Release != running() {
		return 0, nil
	}
	f, err := os.Open(kallsyms.Path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var stext uint64
	err = kallsyms.Scan(f, func(s kallsyms.Symbol) bool {
		name, _ := s.Name()
		if string(name) == "_stext" {
			stext = s.Addr()
			return false
		}
		return true
	})
	if err != nil {
		return 0, err
	}
	if stext == 0 {
		return 0, errors.New(kallsyms.Path + " hides where the kernel is: run as root")
	}
	return stext - k.x.stext, nil
}
