// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/internal/store"
)

// Code is the kernel's own machine code, as it is linked.
type Code struct {
	start    uint64 // _stext
	bytes    []byte
	reserved []byte // records of reservedSize bytes each, by offset
}

// codeFile is where a kernel's code is kept beside the index of functions, for
// unpacking an image may take seconds: the number of its reserved parts, these,
// {offset from _stext:u32 length:u16 why:u16} each, and the code.
const (
	codeFile     = "code"
	reservedSize = 8
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

// Code returns the kernel's code. altInstr is the size of the kernel's struct
// alt_instr, which has changed over time.
func (k *Kernel) Code(altInstr int64) (*Code, error) {
	path := filepath.Join(k.dir, codeFile)
	data, err := store.Map(path)
	if err != nil {
		if data, err = k.makeCode(altInstr); err != nil {
			return nil, err
		}
		if err = store.Write(path, data); err != nil {
			return nil, err
		}
	}
	if len(data) < 4 {
		return nil, errIndex
	}
	size := uint64(binary.LittleEndian.Uint32(data)) * reservedSize
	if data = data[4:]; size > uint64(len(data)) {
		return nil, errIndex
	}
	return &Code{k.x.stext, data[size:], data[:size]}, nil
}

// makeCode reads the code out of the kernel's image.
func (k *Kernel) makeCode(altInstr int64) ([]byte, error) {
	im, err := k.image()
	if err != nil {
		return nil, err
	}
	text := im.at(k.x.stext)
	if text == nil {
		return nil, errors.Errorf("the kernel's image has no code at %#x", k.x.stext)
	}
	type part struct{ offset, length, why uint64 }
	var parts []part
	note := func(addr, length, why uint64) {
		if addr >= k.x.stext && addr-k.x.stext < uint64(len(text)) && length > 0 {
			parts = append(parts, part{addr - k.x.stext, length, why})
		}
	}
	// struct alt_instr { s32 instr; s32 replacement; …; u8 instrlen; u8 replacementlen; }
	if s := im.section(".altinstructions"); s != nil && altInstr >= 10 {
		for at := int64(0); at+altInstr <= int64(len(s.data)); at += altInstr {
			entry := s.data[at : at+altInstr]
			note(relative(s.addr+uint64(at), entry), uint64(entry[altInstr-2]), alternative)
		}
	}
	for _, t := range []struct {
		start, stop string
		entry       uint64 // its size; it begins with the distance to the code
		length, why uint64
	}{
		// struct jump_entry { s32 code; s32 target; long key; }, since Linux 4.19
		{"__start___jump_table", "__stop___jump_table", 16, 5, staticBranch},
		// struct static_call_site { s32 addr; s32 key; }, since Linux 5.10
		{"__start_static_call_sites", "__stop_static_call_sites", 8, 5, staticCall},
		// struct bug_entry { s32 addr; s32 file; u16 line; u16 flags; }, since Linux 4.6; the trap is ud2
		{"__start___bug_table", "__stop___bug_table", 12, 2, bug},
	} {
		start, err := k.mark(t.start)
		if err != nil {
			return nil, err
		}
		stop, err := k.mark(t.stop)
		if err != nil {
			return nil, err
		}
		for table, at := im.between(start, stop), start; uint64(len(table)) >= t.entry; table, at = table[t.entry:], at+t.entry {
			note(relative(at, table), t.length, t.why)
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.offset, b.offset) })
	le := binary.LittleEndian
	out := le.AppendUint32(make([]byte, 0, 4+reservedSize*len(parts)+len(text)), uint32(len(parts)))
	for _, p := range parts {
		out = le.AppendUint32(out, uint32(p.offset))
		out = le.AppendUint16(out, uint16(p.length))
		out = le.AppendUint16(out, uint16(p.why))
	}
	return append(out, text...), nil
}

// From returns the code from an address, as linked, on; nil if there is none.
func (c *Code) From(addr uint64) []byte {
	if addr < c.start || addr-c.start >= uint64(len(c.bytes)) {
		return nil
	}
	return c.bytes[addr-c.start:]
}

// Reserved says what an address, as linked, is in where no kprobe may be, "a
// static branch, which the kernel rewrites" for one; "" if it is in nothing like that.
func (c *Code) Reserved(addr uint64) string {
	const longest = 255 // of the parts: the length of an alternative is a byte
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
		if why := int(le.Uint16(p[6:])); offset < start+uint64(le.Uint16(p[4:])) && why < len(reservedFor) {
			return reservedFor[why]
		}
	}
	return ""
}

// mark returns the address, as linked, of a symbol that stands between things.
func (k *Kernel) mark(name string) (uint64, error) {
	list, err := k.Objects(name)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return k.x.stext + uint64(list[0].Offset), nil
}

// relative returns what the first four bytes of field, which stands at addr, point to.
func relative(addr uint64, field []byte) uint64 {
	return addr + uint64(int64(int32(binary.LittleEndian.Uint32(field))))
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

// Slide returns how far from where it is linked the kernel runs, if it is the
// running one; 0 if it is not.
func (k *Kernel) Slide() (uint64, error) {
	if k.Release != running() {
		return 0, nil
	}
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 || fields[2] != "_stext" {
			continue
		}
		if addr, err := strconv.ParseUint(fields[0], 16, 64); err == nil && addr != 0 {
			return addr - k.x.stext, nil
		}
		break
	}
	return 0, errors.New("/proc/kallsyms hides where the kernel is: run as root")
}
