// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// A Range is code from Low up to, and without, High.
type Range struct{ Low, High uint64 }

// Contains reports whether pc is in r.
func (r Range) Contains(pc uint64) bool { return pc >= r.Low && pc < r.High }

// maxRanges bounds the lists of one DIE.
const maxRanges = 1 << 14

// ranges returns the code that d covers, in the order in which it is written.
func (d die) ranges() []Range {
	if v, ok := d.attr(dwarf.AttrRanges); ok {
		list, err := d.u.rangeList(v)
		if err != nil {
			return nil
		}
		return list
	}
	low, ok := d.attr(dwarf.AttrLowpc)
	high, ok2 := d.attr(dwarf.AttrHighpc)
	if !ok || !ok2 {
		return nil
	}
	if !isAddr(high.form) {
		high.u += low.u
	}
	if high.u <= low.u {
		return nil
	}
	return []Range{{low.u, high.u}}
}

// covers reports whether d's code contains pc; blocks may have no code.
func (d die) covers(pc uint64) bool {
	for _, r := range d.ranges() {
		if r.Contains(pc) {
			return true
		}
	}
	return false
}

// entry returns the entry address of d's code, 0 if it has none.
func (d die) entry() uint64 {
	if v, ok := d.attr(dwarf.AttrEntrypc); ok {
		if isAddr(v.form) {
			return v.u
		}
		if low, ok := d.attr(dwarf.AttrLowpc); ok {
			return low.u + v.u // DWARF 5: an offset
		}
	}
	if low, ok := d.attr(dwarf.AttrLowpc); ok {
		return low.u
	}
	if list := d.ranges(); len(list) > 0 {
		return list[0].Low
	}
	return 0
}

func isAddr(f form) bool {
	switch f {
	case formAddr, formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return true
	}
	return false
}

// rangeList reads the list of a DW_AT_ranges: .debug_rnglists in DWARF 5,
// else .debug_ranges.
func (u *unit) rangeList(v value) ([]Range, error) {
	if u.version < 5 {
		return u.oldRangeList(v.u)
	}
	off := v.u
	if v.form == formRnglistx {
		at, ok := u.indexedList(u.f.rnglists, u.rnglistsBase, v.u)
		if !ok {
			return nil, errDWARF
		}
		off = at
	}
	l := listReader{u: u, b: bufAt(u.f.rnglists, off), base: u.low}
	var list []Range
	for len(list) < maxRanges && !l.b.bad {
		kind := l.b.u8()
		if kind == endOfList && !l.b.bad {
			return list, nil
		}
		r, ok := l.entry(kind)
		if ok && r.High > r.Low {
			list = append(list, r)
		}
	}
	return nil, errDWARF
}

func (u *unit) oldRangeList(off uint64) ([]Range, error) {
	b := bufAt(u.f.ranges, u.rangesBase+off)
	base := u.low
	var list []Range
	for len(list) < maxRanges && !b.bad {
		low, high := b.uint(int(u.addrSize)), b.uint(int(u.addrSize))
		switch {
		case b.bad:
		case low == 0 && high == 0:
			return list, nil
		case low == ^uint64(0)>>(64-8*uint(u.addrSize)):
			base = high
		case high > low:
			list = append(list, Range{base + low, base + high})
		}
	}
	return nil, errDWARF
}

// indexedList returns the offset of the i-th list of those at base.
func (u *unit) indexedList(section []byte, base, i uint64) (uint64, bool) {
	if i > 1<<32 {
		return 0, false
	}
	b := bufAt(section, base+i*uint64(u.offsetSize()))
	off := b.offset(u.dwarf64)
	return base + off, !b.bad
}
