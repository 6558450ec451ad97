// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// A locEntry is an entry of a location list: a range of code and the expression
// that is valid there. at is the expression's offset in the section.
type locEntry struct {
	Range
	expr []byte
	at   uint64
}

// locations returns d's locations. An expression that is valid in the
// whole function has no range: High is 0.
func (d die) locations(name dwarf.Attr) ([]locEntry, error) {
	v, ok := d.attr(name)
	if !ok {
		return nil, nil
	}
	if v.b != nil || v.form == formExprloc {
		return []locEntry{{expr: v.b}}, nil
	}
	switch {
	case d.u.version < 5 && d.u.kind == utSplitCompile:
		return d.u.splitLocationList(v.u)
	case d.u.version < 5:
		return d.u.oldLocationList(v.u)
	}
	off := v.u
	if v.form == formLoclistx {
		if off, ok = d.u.indexedList(d.u.f.loclists, d.u.loclistsBase, v.u); !ok {
			return nil, errDWARF
		}
	}
	return d.u.locationList(off)
}

// locationList reads a list of .debug_loclists.
func (u *unit) locationList(off uint64) ([]locEntry, error) {
	// The kinds of entries are those of range lists, but for these two (DW_LLE_*).
	const (
		defaultLocation = 5
		viewPair        = 9
	)
	l := listReader{u: u, b: bufAt(u.f.loclists, off), base: u.low}
	b := &l.b
	var list []locEntry
	for len(list) < maxRanges && !b.bad {
		kind := b.u8()
		var e locEntry
		switch {
		case kind == endOfList && !b.bad:
			return list, nil
		case kind == viewPair:
			b.uleb()
			b.uleb()
			continue
		case kind == defaultLocation:
			e.High = ^uint64(0)
		default:
			if kind > defaultLocation {
				kind--
			}
			var ok bool
			if e.Range, ok = l.entry(kind); !ok {
				continue
			}
		}
		e.expr = b.take(b.uleb())
		e.at = uint64(b.at - len(e.expr))
		if e.High > e.Low {
			list = append(list, e)
		}
	}
	return nil, errDWARF
}

// oldLocationList reads a list of .debug_loc, of DWARF 4 and before.
func (u *unit) oldLocationList(off uint64) ([]locEntry, error) {
	b := bufAt(u.f.loc, off)
	base := u.low
	var list []locEntry
	for len(list) < maxRanges && !b.bad {
		low, high := b.uint(int(u.addrSize)), b.uint(int(u.addrSize))
		switch {
		case b.bad:
		case low == 0 && high == 0:
			return list, nil
		case low == ^uint64(0)>>(64-8*uint(u.addrSize)):
			base = high
		default:
			e := locEntry{Range: Range{base + low, base + high}, expr: b.take(uint64(b.u16()))}
			e.at = uint64(b.at - len(e.expr))
			if high > low {
				list = append(list, e)
			}
		}
	}
	return nil, errDWARF
}

// splitLocationList reads a list of .debug_loc.dwo, GNU's form for DWARF 4.
func (u *unit) splitLocationList(off uint64) ([]locEntry, error) {
	const (
		base        = 1
		startEnd    = 2
		startLength = 3
		offsetPair  = 4
	)
	b, low := bufAt(u.f.loc, u.locBase+off), u.low
	var list []locEntry
	for len(list) < maxRanges && !b.bad {
		var e locEntry
		switch kind := b.u8(); {
		case kind == endOfList && !b.bad:
			return list, nil
		case kind == base:
			low = u.indexedAddr(b.uleb())
			continue
		case kind == startEnd:
			e.Low = u.indexedAddr(b.uleb())
			e.High = u.indexedAddr(b.uleb())
		case kind == startLength:
			e.Low = u.indexedAddr(b.uleb())
			e.High = e.Low + uint64(b.u32())
		case kind == offsetPair:
			e.Low = low + uint64(b.u32())
			e.High = low + uint64(b.u32())
		default:
			return nil, errDWARF
		}
		e.expr = b.take(uint64(b.u16()))
		e.at = uint64(b.at - len(e.expr))
		if e.High > e.Low {
			list = append(list, e)
		}
	}
	return nil, errDWARF
}
