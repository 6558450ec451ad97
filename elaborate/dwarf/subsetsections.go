// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"
	"debug/elf"
	"slices"
	"sort"
)

// list copies the list or table at a section offset, the value of an attribute, and returns
// the copy's offset.
func (t *subsetWriter) list(u *unit, name dwarf.Attr, off uint64) (uint64, error) {
	const (
		startScope  dwarf.Attr = 0x2c
		macroInfo   dwarf.Attr = 0x43
		macros      dwarf.Attr = 0x79
		gnuMacros   dwarf.Attr = 0x2119
		gnuLocviews dwarf.Attr = 0x2137
	)
	switch name {
	case dwarf.AttrStmtList:
		return t.part(&t.line, &t.f.line, off)
	case dwarf.AttrStrOffsetsBase:
		return t.texted(u, off)
	case dwarf.AttrAddrBase:
		return t.part(&t.addr, &t.f.addr, off)
	case dwarf.AttrRnglistsBase:
		return t.part(&t.rnglists, &t.f.rnglists, off)
	case dwarf.AttrLoclistsBase:
		return t.part(&t.loclists, &t.f.loclists, off)
	case macroInfo, macros, gnuMacros, gnuLocviews:
		return 0, nil // they are not used
	case dwarf.AttrRanges, startScope:
		if u.version >= 5 {
			return t.part(&t.rnglists, &t.f.rnglists, off)
		}
		return t.oldList(u, &t.ranges, &t.f.ranges, off, false)
	}
	if u.version >= 5 {
		return t.part(&t.loclists, &t.f.loclists, off)
	}
	return t.oldList(u, &t.loc, &t.f.loc, off, true)
}

// text copies a string of .debug_str, and returns the copy's offset.
func (t *subsetWriter) text(off uint64) uint64 {
	at, ok := t.texts[off]
	if !ok {
		at = uint64(len(t.str))
		t.str = append(append(t.str, textAt(t.f.str, off)...), 0)
		t.texts[off] = at
	}
	return at
}

// place records the offset of a part's copy; done if it has been copied already.
func (t *subsetWriter) place(to *section, from *[]byte, off uint64) (at uint64, done bool) {
	if t.moved[from] == nil {
		t.moved[from] = map[uint64]uint64{}
	}
	if at, done = t.moved[from][off]; !done {
		at = uint64(len(*to))
		t.moved[from][off] = at
	}
	return at, done
}

// abbrevs copies a unit's table of .debug_abbrev.
func (t *subsetWriter) abbrevs(u *unit) (uint64, error) {
	at, done := t.place(&t.abbrev, &t.f.abbrev, u.abbrevOff)
	if done {
		return at, nil
	}
	b := bufAt(t.f.abbrev, u.abbrevOff)
	for b.uleb() != 0 {
		b.uleb()
		b.u8()
		for {
			name, kind := b.uleb(), form(b.uleb())
			if kind == formImplicit {
				b.sleb()
			}
			if name == 0 && kind == 0 || b.bad {
				break
			}
		}
	}
	if b.bad {
		return 0, errDWARF
	}
	t.abbrev = append(t.abbrev, t.f.abbrev[u.abbrevOff:b.at]...)
	return at, nil
}

// part copies the part of a section that contains off, and returns off's value in the
// copy. The section's parts begin with their lengths.
func (t *subsetWriter) part(to *section, from *[]byte, off uint64) (uint64, error) {
	if t.starts[from] == nil {
		for b := (buf{data: *from}); b.left() > 0; {
			t.starts[from] = append(t.starts[from], uint64(b.at))
			if b.unit(); b.bad {
				return 0, errDWARF
			}
		}
	}
	starts := t.starts[from]
	n := sort.Search(len(starts), func(n int) bool { return starts[n] > off })
	if n == 0 {
		return 0, errDWARF
	}
	start, end := starts[n-1], uint64(len(*from))
	if n < len(starts) {
		end = starts[n]
	}
	at, done := t.place(to, from, start)
	if !done {
		*to = append(*to, (*from)[start:end]...)
	}
	return at + off - start, nil
}

// texted copies a part of .debug_str_offsets, and the strings.
func (t *subsetWriter) texted(u *unit, off uint64) (uint64, error) {
	before := len(t.strOffsets)
	at, err := t.part(&t.strOffsets, &t.f.strOffsets, off)
	if err != nil || before == len(t.strOffsets) {
		return at, err
	}
	size := u.offsetSize()
	for n := at; n+uint64(size) <= uint64(len(t.strOffsets)); n += uint64(size) {
		b := bufAt(t.strOffsets, n)
		t.strOffsets.put(n, size, t.text(b.offset(u.dwarf64)))
	}
	return at, nil
}

// oldList copies a list of .debug_ranges or .debug_loc.
func (t *subsetWriter) oldList(u *unit, to *section, from *[]byte, off uint64, locations bool) (uint64, error) {
	at, done := t.place(to, from, off)
	if done {
		return at, nil
	}
	base := ^uint64(0) >> (64 - 8*uint(u.addrSize))
	b := bufAt(*from, off)
	for !b.bad {
		low, high := b.uint(int(u.addrSize)), b.uint(int(u.addrSize))
		if low == 0 && high == 0 {
			break
		}
		if locations && low != base {
			b.take(uint64(b.u16()))
		}
	}
	if b.bad {
		return 0, errDWARF
	}
	*to = append(*to, (*from)[off:b.at]...)
	return at, nil
}

// covers reports whether the units have code at addr.
func (t *subsetWriter) covers(addr uint64) bool {
	n := sort.Search(len(t.code), func(n int) bool { return t.code[n].Low > addr })
	return n > 0 && t.code[n-1].Contains(addr)
}

// copyFrames copies the entries of .debug_frame for the units' code.
func (t *subsetWriter) copyFrames() {
	for _, e := range t.f.frameEntries() {
		if !t.covers(e.Low) {
			continue
		}
		cie, done := t.place(&t.cfi, &t.f.frame, uint64(e.cie))
		if !done {
			t.cfi = append(t.cfi, t.f.frameBytes(e.cie)...)
		}
		at := uint64(len(t.cfi))
		t.cfi = append(t.cfi, t.f.frameBytes(e.at)...)
		t.cfi.put(at+4, 4, cie)
	}
}

// symbols returns the symbols of the copied code; of a relocatable file all, by which
// variables are found.
func (t *subsetWriter) symbols() []elf.Symbol {
	all, err := t.f.elf.Symbols()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(s elf.Symbol) bool {
		return t.f.elf.Type != elf.ET_REL && !t.covers(s.Value)
	})
}
