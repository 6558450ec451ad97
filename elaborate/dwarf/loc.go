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
	if d.u.version < 5 {
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
	const (
		endOfList = iota
		baseAddressx
		startxEndx
		startxLength
		offsetPair
		defaultLocation
		baseAddress
		startEnd
		startLength
		viewPair
	)
	b := bufAt(u.f.loclists, off)
	base := u.low
	var list []locEntry
	for len(list) < maxRanges && !b.bad {
		var e locEntry
		switch b.u8() {
		case endOfList:
			if b.bad {
				return nil, errDWARF
			}
			return list, nil
		case baseAddressx:
			base = u.indexedAddr(b.uleb())
			continue
		case startxEndx:
			e.Low = u.indexedAddr(b.uleb())
			e.High = u.indexedAddr(b.uleb())
		case startxLength:
			e.Low = u.indexedAddr(b.uleb())
			e.High = e.Low + b.uleb()
		case offsetPair:
			e.Low = base + b.uleb()
			e.High = base + b.uleb()
		case defaultLocation:
			e.High = ^uint64(0)
		case baseAddress:
			base = b.uint(int(u.addrSize))
			continue
		case startEnd:
			e.Low = b.uint(int(u.addrSize))
			e.High = b.uint(int(u.addrSize))
		case startLength:
			e.Low = b.uint(int(u.addrSize))
			e.High = e.Low + b.uleb()
		case viewPair:
			b.uleb()
			b.uleb()
			continue
		default:
			return nil, errDWARF
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
