// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bufio"
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// Code is the machine code of one function, as it is linked.
type Code struct {
	Bytes []byte
	// Rewritten are the parts that the kernel itself rewrites.
	Rewritten []Rewritten
}

// Rewritten is a part of a function that the kernel rewrites while it runs or boots.
type Rewritten struct {
	Start, End int64  // offsets in the function
	Why        string // "an alternative, of which the kernel chooses one when it boots"
}

// Code reads a function's code from the kernel's image. alternative is the size
// of the kernel's struct alt_instr, which has changed over time.
func (k *Kernel) Code(f *Func, alternative int64) (*Code, error) {
	im, err := k.image()
	if err != nil {
		return nil, err
	}
	end := f.Addr + uint64(f.Size)
	code := &Code{Bytes: im.between(f.Addr, end)}
	if code.Bytes == nil {
		return nil, errors.Errorf("the kernel's image has no code at %#x", f.Addr)
	}
	note := func(start uint64, length int64, why string) {
		if start >= f.Addr && start < end {
			from := int64(start - f.Addr)
			code.Rewritten = append(code.Rewritten, Rewritten{from, from + length, why})
		}
	}
	// struct alt_instr { s32 instr; s32 replacement; …; u8 instrlen; u8 replacementlen; }
	if s := im.section(".altinstructions"); s != nil && alternative >= 10 {
		for at := int64(0); at+alternative <= int64(len(s.data)); at += alternative {
			entry := s.data[at : at+alternative]
			note(relative(s.addr+uint64(at), entry), int64(entry[alternative-2]), "an alternative, of which the kernel has chosen one when it booted")
		}
	}
	// struct jump_entry { s32 code; s32 target; long key; }, since Linux 4.19
	const jumpEntry = 16
	start, err := k.mark("__start___jump_table")
	if err != nil {
		return nil, err
	}
	stop, err := k.mark("__stop___jump_table")
	if err != nil {
		return nil, err
	}
	for table, at := im.between(start, stop), start; len(table) >= jumpEntry; table, at = table[jumpEntry:], at+jumpEntry {
		note(relative(at, table), 5, "a static branch, which the kernel rewrites")
	}
	return code, nil
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
