// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"
	"sync"
)

// A header is the header of a unit of .debug_info.
type header struct {
	off, end  uint32 // of the unit in .debug_info
	first     uint32 // its first DIE
	version   uint16
	kind      uint8 // DW_UT_*
	dwarf64   bool
	addrSize  uint8
	abbrevOff uint64
	id        uint64 // of a skeleton and the unit of split DWARF that it belongs to

	signature uint64 // of a type unit,
	typeOff   uint64 // the offset of its type in it
}

func (h *header) offsetSize() int {
	if h.dwarf64 {
		return 8
	}
	return 4
}

// DW_UT_*
const (
	utCompile      = 1
	utType         = 2
	utSkeleton     = 4
	utSplitCompile = 5
	utSplitType    = 6
)

// readHeader reads the header of the unit at off.
func (f *File) readHeader(off uint32) (h header, err error) {
	b := bufAt(f.info, uint64(off))
	rest, dwarf64 := b.unit()
	if rest.bad {
		return h, errDWARF
	}
	h = header{off: off, end: uint32(b.at), dwarf64: dwarf64, kind: utCompile}
	h.version = rest.u16()
	switch {
	case h.version >= 2 && h.version <= 4:
		h.abbrevOff = rest.offset(dwarf64)
		h.addrSize = rest.u8()
		if off >= f.typesAt {
			h.kind = utType
		}
		if p, ok := f.parts[off]; ok {
			h.kind = utSplitCompile
			if p.types {
				h.kind = utSplitType
			}
		}
	case h.version == 5:
		h.kind = rest.u8()
		h.addrSize = rest.u8()
		h.abbrevOff = rest.offset(dwarf64)
		if h.kind == utSkeleton || h.kind == utSplitCompile {
			h.id = rest.u64()
		}
	default:
		return h, errDWARF
	}
	if h.kind == utType || h.kind == utSplitType {
		h.signature = rest.u64()
		h.typeOff = rest.offset(dwarf64)
	}
	if rest.bad || h.addrSize != 8 && h.addrSize != 4 {
		return h, errDWARF
	}
	h.first = uint32(rest.at)
	h.abbrevOff += f.parts[off].abbrev
	return h, nil
}

// A unit is a compilation unit: a source file with what it includes.
type unit struct {
	header
	f       *File
	abbrevs *abbrevs

	name, dir    string
	stmtList     uint64
	hasLines     bool
	low          uint64 // the base of its range and location lists
	strOffsets   uint64
	strBase      uint64 // the offset of its file's strings
	addrBase     uint64
	rnglistsBase uint64
	loclistsBase uint64
	locBase      uint64 // of a split unit of DWARF 4
	rangesBase   uint64 // the same
	splitRanges  uint64 // of a skeleton of DWARF 4: the split unit's rangesBase

	lines    sync.Once
	table    *lineTable
	linesErr error
}

// readUnit reads the unit at off and its first DIE.
func (f *File) readUnit(off uint32) (*unit, error) {
	h, err := f.readHeader(off)
	if err != nil {
		return nil, err
	}
	u := &unit{header: h, f: f}
	if u.abbrevs, err = parseAbbrevs(f.abbrev, h.abbrevOff, &u.header); err != nil {
		return nil, err
	}
	// The default of a base in DWARF 5 is the offset behind the section's header.
	u.strOffsets, u.addrBase = 8, 8
	u.rnglistsBase, u.loclistsBase = 12, 12
	if h.version < 5 {
		u.strOffsets, u.addrBase = 0, 0
	}
	root, ok := u.die(h.first)
	if !ok {
		return u, nil // a unit without DIEs
	}
	if p, ok := f.parts[off]; ok {
		if err := u.split(p); err != nil {
			return nil, err
		}
		u.name = root.text(dwarf.AttrName)
		return u, nil
	}
	// The bases first: other attributes may be relative to them.
	for base, at := range map[*uint64]dwarf.Attr{&u.strOffsets: dwarf.AttrStrOffsetsBase, &u.addrBase: dwarf.AttrAddrBase,
		&u.rnglistsBase: dwarf.AttrRnglistsBase, &u.loclistsBase: dwarf.AttrLoclistsBase} {
		if v, ok := root.attr(at); ok {
			*base = v.u
		}
	}
	if v, ok := root.attr(attrGNUAddrBase); ok {
		u.addrBase = v.u
	}
	if v, ok := root.attr(attrGNURangesBase); ok {
		u.splitRanges = v.u
	}
	u.name, u.dir = root.text(dwarf.AttrName), root.text(dwarf.AttrCompDir)
	if v, ok := root.attr(dwarf.AttrStmtList); ok {
		u.stmtList, u.hasLines = v.u, true
	}
	if v, ok := root.attr(dwarf.AttrLowpc); ok {
		u.low = v.u
	}
	return u, nil
}

// unitHeaders returns the headers of all units, without skeletons of units that have been read.
func (f *File) unitHeaders() ([]header, error) {
	var list []header
	for off := uint32(0); int(off) < len(f.info); {
		h, err := f.readHeader(off)
		if err != nil {
			return nil, err
		}
		if !f.replaced[off] {
			list = append(list, h)
		}
		off = h.end
	}
	return list, nil
}

// typeSigned returns the offset of the type with that signature, which is in a type
// unit.
func (f *File) typeSigned(signature uint64) (off uint64, ok bool) {
	f.signing.Do(func() {
		f.signed = map[uint64]uint64{}
		list, err := f.unitHeaders()
		if err != nil {
			return
		}
		for i := range list {
			if h := &list[i]; h.kind == utType || h.kind == utSplitType {
				f.signed[h.signature] = uint64(h.off) + h.typeOff
			}
		}
	})
	off, ok = f.signed[signature]
	return off, ok
}
