// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"encoding/binary"

	"github.com/pkg/errors"
)

// A symbol is a symbol of the kernel itself, as in /proc/kallsyms.
type symbol struct {
	addr uint64 // as linked
	kind byte   // as nm(1) has it
	name string
}

// kallsymsTables are the kernel's own symbol tables, which scripts/kallsyms.c of the
// kernel generates into .rodata. The tables have no names in a stripped image;
// their order has changed over time:
//
//	to 6.1     offsets relative_base num_syms names markers              token_table token_index
//	6.2, 6.3   offsets relative_base num_syms names markers seqs_of_names token_table token_index
//	from 6.4                         num_syms names markers              token_table token_index offsets relative_base seqs_of_names
//	in 7.2                           num_syms names markers              token_table token_index offsets seqs_of_names
//
// All are aligned to 8 bytes, and to 4 in 7.2, where each offset is
// relative to its own address. They are found by their structure, from the token table
// outwards, and each is checked against the others.
type kallsymsTables struct {
	rodata   []byte
	addr     uint64 // of rodata
	align    int
	tokens   [256][]byte
	tokenAt  int // of token_table
	tokenEnd int // behind token_index
	num      int
	numAt    int // of num_syms
	names    []byte
	steps    int // names that have been visited in search of the first
}

const (
	maxSymbols = 4 << 20  // far above any kernel's number of symbols
	maxSteps   = 64 << 20 // a search that takes more is given up
)

// decodeKallsyms returns all symbols, in the order of their addresses.
func decodeKallsyms(im *image) ([]symbol, error) {
	s := im.section(".rodata")
	if s == nil {
		return nil, errors.New("kernel image: no section .rodata")
	}
	var symbols []symbol
	var err error
	for _, align := range []int{8, 4} {
		k := &kallsymsTables{rodata: s.data, addr: s.addr, align: align}
		if symbols, err = k.decode(im); err == nil {
			break
		}
	}
	return symbols, err
}

func (k *kallsymsTables) decode(im *image) ([]symbol, error) {
	if err := k.findTokens(); err != nil {
		return nil, err
	}
	if err := k.findNames(); err != nil {
		return nil, err
	}
	return k.findOffsets(im)
}

// up returns the start of a table behind the end of another one.
func (k *kallsymsTables) up(n int) int { return (n + k.align - 1) &^ (k.align - 1) }

func align8(n int) int { return (n + 7) &^ 7 }

// findTokens finds the table of 256 strings that names are compressed with,
// and its index, 256 offsets into it. The characters that occur in names stand
// for themselves in it, and all digits do.
func (k *kallsymsTables) findTokens() error {
	digits := []byte("0\x001\x002\x003\x004\x005\x006\x007\x008\x009\x00")
	for from := 0; ; {
		i := bytes.Index(k.rodata[from:], digits)
		if i < 0 {
			return errors.New("kernel image: no kallsyms token table (was it built without CONFIG_KALLSYMS?)")
		}
		if k.tokensAround(from + i) {
			return nil
		}
		from += i + 1
	}
}

// tokensAround tries digits as the offset of the token "0".
func (k *kallsymsTables) tokensAround(digits int) bool {
	end := digits
	for range 256 - '0' {
		n := bytes.IndexByte(k.rodata[end:], 0)
		if n < 0 || n > 64 {
			return false
		}
		end += n + 1
	}
	index := k.up(end)
	if index+512 > len(k.rodata) {
		return false
	}
	offset := func(i int) int { return int(binary.LittleEndian.Uint16(k.rodata[index+2*i:])) }
	start := digits - offset('0')
	if start < 0 || offset(0) != 0 {
		return false
	}
	at := start
	for i := range k.tokens {
		n := bytes.IndexByte(k.rodata[at:], 0)
		if at-start != offset(i) || n < 0 {
			return false
		}
		k.tokens[i] = k.rodata[at : at+n]
		at += n + 1
	}
	k.tokenAt, k.tokenEnd = start, index+512
	return at == end
}

// findNames finds num_syms and the names behind it, which end before the
// token table. Between lie the markers, the offset of each 256th name.
func (k *kallsymsTables) findNames() error {
	for at := k.tokenAt &^ (k.align - 1); at >= k.align; {
		at -= k.align
		n := binary.LittleEndian.Uint32(k.rodata[at:])
		if n < 1000 || n > maxSymbols || k.align == 8 && binary.LittleEndian.Uint32(k.rodata[at+4:]) != 0 {
			continue
		}
		if k.namesAt(at+k.align, int(n)) {
			k.numAt = at
			return nil
		}
	}
	return errors.New("kernel image: no kallsyms names")
}

// namesAt tries at as the offset of num names.
func (k *kallsymsTables) namesAt(at, num int) bool {
	area := k.rodata[at:k.tokenAt]
	var markers []uint32
	pos := 0
	for i := range num {
		if k.steps++; k.steps > maxSteps {
			return false
		}
		if i%256 == 0 {
			markers = append(markers, uint32(pos))
		}
		name, next, ok := nextName(area, pos)
		if !ok {
			return false
		}
		// Its first character is the symbol's type.
		if first := k.tokens[name[0]]; len(first) == 0 || !isKind(first[0]) {
			return false
		}
		pos = next
	}
	table := k.up(at+pos) - at
	if table+4*len(markers) > len(area) {
		return false
	}
	for i, m := range markers {
		if binary.LittleEndian.Uint32(area[table+4*i:]) != m {
			return false
		}
	}
	k.num, k.names = num, area[:pos]
	return true
}

// nextName returns the compressed name at pos, and where the next one starts.
// From 6.1 on, a length above 127 takes two bytes.
func nextName(area []byte, pos int) (name []byte, next int, ok bool) {
	if pos >= len(area) {
		return nil, 0, false
	}
	n := int(area[pos])
	pos++
	if n&0x80 != 0 {
		if pos >= len(area) {
			return nil, 0, false
		}
		n = n&0x7f | int(area[pos])<<7
		pos++
	}
	if n == 0 || n > len(area)-pos {
		return nil, 0, false
	}
	return area[pos : pos+n], pos + n, true
}

func isKind(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '?'
}

// An addressing is a possible location of the offsets, and their conversion to addresses.
type addressing struct {
	offsets int
	address func(i int, offset uint32) uint64
}

// findOffsets finds the offsets, and decodes all symbols with the first plausible ones.
func (k *kallsymsTables) findOffsets(im *image) ([]symbol, error) {
	symbols, err := k.decodeNames()
	if err != nil {
		return nil, err
	}
	behind := k.up(k.tokenEnd)
	list := k.fromBase(im, k.numAt-8-align8(4*k.num), k.numAt-8)
	list = append(list, k.fromBase(im, behind, align8(behind+4*k.num))...)
	list = append(list, addressing{behind, func(i int, offset uint32) uint64 {
		return k.addr + uint64(behind+4*i) + uint64(int64(int32(offset)))
	}})
	for _, a := range list {
		if a.offsets >= 0 && a.offsets+4*k.num <= len(k.rodata) && k.apply(a, symbols) && plausible(symbols, im) {
			return symbols, nil
		}
	}
	return nil, errors.New("kernel image: no kallsyms addresses")
}

// fromBase returns the addressings by relative_base, if it may be there. With CONFIG_KALLSYMS_ABSOLUTE_PERCPU, which is
// how x86 kernels with SMP were until 6.14, offsets that are not negative are addresses themselves.
func (k *kallsymsTables) fromBase(im *image, offsets, place int) []addressing {
	if place < 0 || place+8 > len(k.rodata) {
		return nil
	}
	base := binary.LittleEndian.Uint64(k.rodata[place:])
	if im.at(base) == nil {
		return nil
	}
	percpu := func(_ int, offset uint32) uint64 {
		if int32(offset) < 0 {
			return base - 1 - uint64(int64(int32(offset)))
		}
		return uint64(offset)
	}
	return []addressing{{offsets, percpu}, {offsets, func(_ int, offset uint32) uint64 { return base + uint64(offset) }}}
}

// decodeNames returns the symbols without their addresses.
func (k *kallsymsTables) decodeNames() ([]symbol, error) {
	symbols := make([]symbol, k.num)
	ends := make([]int, k.num)
	text := make([]byte, 0, 24*k.num)
	pos := 0
	for i := range symbols {
		name, next, _ := nextName(k.names, pos)
		pos = next
		for _, t := range name {
			text = append(text, k.tokens[t]...)
		}
		ends[i] = len(text)
		if len(text) > 1<<30 {
			return nil, errors.New("kernel image: kallsyms names are too long")
		}
	}
	all, start := string(text), 0
	for i := range symbols {
		symbols[i].kind, symbols[i].name = all[start], all[start+1:ends[i]]
		start = ends[i]
	}
	return symbols, nil
}

// apply fills in the addresses and reports whether they ascend.
func (k *kallsymsTables) apply(a addressing, symbols []symbol) bool {
	last := uint64(0)
	for i := range symbols {
		addr := a.address(i, binary.LittleEndian.Uint32(k.rodata[a.offsets+4*i:]))
		if addr < last {
			return false
		}
		last = addr
		symbols[i].addr = addr
	}
	return true
}

// plausible checks two symbols' addresses against the section headers.
func plausible(symbols []symbol, im *image) bool {
	text, init := im.section(".text"), im.section(".init.text")
	stext, ok1 := find(symbols, "_stext")
	sinit, ok2 := find(symbols, "_sinittext")
	return ok1 && ok2 && text != nil && init != nil &&
		stext >= text.addr && stext-text.addr < uint64(len(text.data)) &&
		sinit >= init.addr && sinit-init.addr <= uint64(len(init.data))
}

func find(symbols []symbol, name string) (uint64, bool) {
	for i := range symbols {
		if symbols[i].name == name {
			return symbols[i].addr, true
		}
	}
	return 0, false
}
