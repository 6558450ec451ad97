// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"

	"github.com/pkg/errors"
)

// Collect marks the unit of an instance to be copied by WriteSubset, like every unit
// that has been read.
func (i *Info) Collect(in Instance) error {
	_, err := i.dieOf(in)
	return err
}

// WriteSubset returns a copy of the debuginfo as an ELF file with only the
// units that have been read until now and those that they refer to. points go into it, too.
func (i *Info) WriteSubset(points []string) ([]byte, error) {
	f, err := i.file()
	if err != nil {
		return nil, err
	}
	if f.alt != nil {
		return nil, errors.Errorf("%s has a part of its own in %s: what dwz has joined can't be copied in part", f.Path, f.alt.Path)
	}
	t := &subsetWriter{f: f, at: map[uint32]uint32{}, texts: map[uint64]uint64{}, moved: map[*[]byte]map[uint64]uint64{}, starts: map[*[]byte][]uint64{}}
	t.str = []byte{0}
	for off := range f.units {
		t.todo = append(t.todo, off)
	}
	slices.Sort(t.todo)
	for len(t.todo) > 0 {
		off := t.todo[0]
		t.todo = t.todo[1:]
		if err := t.unit(off); err != nil {
			return nil, errors.Wrap(err, f.Path)
		}
	}
	for _, r := range t.refs {
		unit := t.unitAt(r.to)
		r.in.put(r.at, r.size, uint64(t.at[unit])+r.to-uint64(unit))
	}
	slices.SortFunc(t.code, func(a, b Range) int { return cmp.Compare(a.Low, b.Low) })
	t.copyFrames()
	return t.write(points)
}

// A section is the content of a section of the copy.
type section []byte

// put writes a number of size bytes.
func (s section) put(at uint64, size int, n uint64) {
	for k := range size {
		s[at+uint64(k)] = byte(n >> (8 * k))
	}
}

// A subsetWriter copies units. Offsets of other sections in them
// are changed in place, so that DIEs keep their sizes and distances.
type subsetWriter struct {
	f    *File
	todo []uint32          // units
	at   map[uint32]uint32 // units' offsets in the copy, by those in f
	refs []unitRef
	code []Range // of the units

	info, types, abbrev, str, strOffsets, addr section
	line, loc, loclists, ranges, rnglists, cfi section

	texts  map[uint64]uint64             // strings' offsets in the copy, by those in f
	moved  map[*[]byte]map[uint64]uint64 // the same for parts of a section
	starts map[*[]byte][]uint64          // offsets at which the parts of a section begin
}

// A unitRef is a reference to a unit, from another or from a location.
type unitRef struct {
	in   *section
	at   uint64
	size int
	to   uint64 // in the file's
}

// unitAt returns the unit that contains an offset of .debug_info.
func (t *subsetWriter) unitAt(off uint64) uint32 {
	n := sort.Search(len(t.f.offsets), func(n int) bool { return uint64(t.f.offsets[n]) > off })
	if n == 0 {
		return 0
	}
	return t.f.offsets[n-1]
}

// unit copies the unit at off.
func (t *subsetWriter) unit(off uint32) error {
	if _, done := t.at[off]; done {
		return nil
	}
	u, err := t.f.unit(off)
	if err != nil {
		return err
	}
	to := &t.info
	if off >= t.f.typesAt {
		to = &t.types
	}
	start := uint64(len(*to))
	t.at[off] = uint32(start)
	*to = append(*to, t.f.info[u.off:u.end]...)
	moved, err := t.abbrevs(u)
	if err != nil {
		return err
	}
	length := uint64(u.offsetSize())
	if u.dwarf64 {
		length += 4
	}
	header := start + length + 2
	if u.version >= 5 {
		header += 2
	}
	to.put(header, u.offsetSize(), moved)
	if root, ok := u.die(u.first); ok {
		t.code = append(t.code, root.ranges()...)
	}
	for b := (buf{data: t.f.info[:u.end], at: int(u.first)}); b.at < len(b.data); {
		here := uint32(b.at)
		code := b.uleb()
		if code == 0 && !b.bad {
			continue
		}
		a := u.abbrevs.find(code)
		if a == nil {
			return errDWARF
		}
		d := die{u, here, a, uint32(b.at)}
		for _, spec := range a.attrs {
			here := uint64(b.at)
			v := u.value(&b, spec.form, spec.constant)
			if b.bad {
				return errDWARF
			}
			if err := t.attr(u, spec, v, here, to, start+here-uint64(u.off)); err != nil {
				return err
			}
			if err := t.expressions(d, spec, v, to, start+uint64(b.at)-uint64(u.off)); err != nil {
				return err
			}
		}
	}
	return nil
}

// attr copies the data that an attribute refers to, and adjusts the attribute's copy, at to.
func (t *subsetWriter) attr(u *unit, spec attrSpec, v value, from uint64, in *section, to uint64) error {
	size := u.offsetSize()
	switch spec.form {
	case formStrp:
		b := bufAt(t.f.info, from)
		in.put(to, size, t.text(b.offset(u.dwarf64)))
		return nil
	case formRefAddr:
		if u.version <= 2 {
			size = int(u.addrSize)
		}
		t.reference(in, to, size, v.u)
		return nil
	case formRefSig8:
		if v.f != nil {
			t.need(v.u)
		}
		return nil
	case formIndirect, formGNURefAlt, formRefSup4, formRefSup8, formGNUStrpAlt, formStrpSup, formGNUStrIndex, formGNUAddrIndex:
		return errors.Errorf("attributes of form %#x can't be copied in part", spec.form)
	case formSecOffset:
	case formData4, formData8: // before DWARF 4, offsets of lists
		switch spec.name {
		case dwarf.AttrStmtList, dwarf.AttrRanges, dwarf.AttrLocation, dwarf.AttrFrameBase, dwarf.AttrDataMemberLoc:
		default:
			return nil
		}
		if u.version >= 4 || spec.name == dwarf.AttrDataMemberLoc {
			return nil
		}
		size = 4
		if spec.form == formData8 {
			size = 8
		}
	default:
		return nil
	}
	moved, err := t.list(u, spec.name, v.u)
	if err == nil {
		in.put(to, size, moved)
	}
	return err
}
