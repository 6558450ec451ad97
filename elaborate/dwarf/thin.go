// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// pointsSection is what a thin copy has besides debuginfo: the probe points
// that it was made for, a line each.
const pointsSection = ".gostap.points"

// Thin copies are called NAME.debug, and beside them lie their indexes.
const (
	ThinSuffix      = ".debug"
	thinIndexSuffix = ".index"
)

// ThinDir is the folder with the thin copies of kernels' debuginfo. Those of a
// kernel's modules are in a folder there that is called as the kernel's is.
func ThinDir() string { return cache.Path("probes") }

// ThinPath returns where the thin copy of the debuginfo of a kernel, by its
// build-id, is kept, or of a module of it, if module is not "".
func ThinPath(kernel, module string) string {
	return filepath.Join(ThinDir(), kernel, module) + ThinSuffix
}

// RemoveThin removes the thin copies of a kernel's debuginfo and of its modules'
// from the cache.
func RemoveThin(kernel string) error {
	path := strings.TrimSuffix(ThinPath(kernel, ""), ThinSuffix)
	for _, name := range []string{path + thinIndexSuffix, path + ThinSuffix, path} {
		if err := os.RemoveAll(name); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
}

// ReadThin reads a thin copy, and returns the probe points that it holds.
func ReadThin(path string, data []byte) (buildID string, points []string, err error) {
	f, err := open(path, "", data)
	if err != nil {
		return "", nil, errors.Wrap(err, path)
	}
	points, err = f.points()
	return f.BuildID, points, err
}

// LoadThin returns the thin copy at path and the probe points that it holds:
// ErrNone if there is none, a *MismatchError if it is not of the build buildID.
func LoadThin(path, buildID string) (*Info, []string, error) {
	f := &Finder{}
	info, err := f.Load(strings.TrimSuffix(path, ThinSuffix)+thinIndexSuffix, func() (string, error) {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return "", ErrNone
		}
		return path, nil
	}, func(int64, int64) {})
	if err != nil {
		return nil, nil, err
	}
	file, err := info.file()
	if err != nil {
		return nil, nil, err
	}
	if file.BuildID != buildID {
		return nil, nil, &MismatchError{path, file.BuildID, buildID}
	}
	points, err := file.points()
	info.Thin = true
	return info, points, err
}

// points returns the probe points that a thin copy holds.
func (f *File) points() ([]string, error) {
	s := f.elf.Section(pointsSection)
	if s == nil || !f.HasInfo() {
		return nil, errors.Errorf("%s was not made by gostap probe-cache", f.Path)
	}
	p, err := f.raw(s)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(p), "\n"), nil
}

// Hold marks the unit of an instance as one that WriteThin is to copy, as all are
// that have been read.
func (i *Info) Hold(in Instance) error {
	_, err := i.dieOf(in)
	return err
}

// WriteThin returns a copy of the debuginfo as an ELF file that has of it only the
// units that have been read until now, and what they refer to. points are noted in it.
func (i *Info) WriteThin(points []string) ([]byte, error) {
	f, err := i.file()
	if err != nil {
		return nil, err
	}
	if f.alt != nil {
		return nil, errors.Errorf("%s has a part of its own in %s: what dwz has joined can't be copied in part", f.Path, f.alt.Path)
	}
	t := &thinner{f: f, at: map[uint32]uint32{}, texts: map[uint64]uint64{}, moved: map[*[]byte]map[uint64]uint64{}, starts: map[*[]byte][]uint64{}}
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

// A section is the content of one that is made.
type section []byte

// put writes a number of size bytes.
func (s section) put(at uint64, size int, n uint64) {
	for k := range size {
		s[at+uint64(k)] = byte(n >> (8 * k))
	}
}

// A thinner copies units. Numbers in them that are offsets of other sections
// are changed where they stand, so that DIEs keep their sizes and their distances.
type thinner struct {
	f    *File
	todo []uint32          // units
	at   map[uint32]uint32 // where units have gone
	refs []unitRef
	code []Range // of the units

	info, types, abbrev, str, strOffsets, addr section
	line, loc, loclists, ranges, rnglists, cfi section

	texts  map[uint64]uint64             // where strings have gone
	moved  map[*[]byte]map[uint64]uint64 // where parts of a section have gone
	starts map[*[]byte][]uint64          // where the parts of a section begin
}

// A unitRef is a reference to a unit, from another or from a location.
type unitRef struct {
	in   *section
	at   uint64
	size int
	to   uint64 // in the file's
}

// unitAt returns the unit that an offset of .debug_info lies in.
func (t *thinner) unitAt(off uint64) uint32 {
	n := sort.Search(len(t.f.offsets), func(n int) bool { return uint64(t.f.offsets[n]) > off })
	if n == 0 {
		return 0
	}
	return t.f.offsets[n-1]
}

// unit copies the unit at off.
func (t *thinner) unit(off uint32) error {
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

// attr copies what an attribute refers to, and changes its copy, which stands at to.
func (t *thinner) attr(u *unit, spec attrSpec, v value, from uint64, in *section, to uint64) error {
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
			t.hold(v.u)
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

// list copies what an attribute's section offset leads to, and returns where it has gone.
func (t *thinner) list(u *unit, name dwarf.Attr, off uint64) (uint64, error) {
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
		return 0, nil // nobody here reads them
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

// text copies a string, and returns where it has gone.
func (t *thinner) text(off uint64) uint64 {
	at, ok := t.texts[off]
	if !ok {
		at = uint64(len(t.str))
		t.str = append(append(t.str, textAt(t.f.str, off)...), 0)
		t.texts[off] = at
	}
	return at
}

// place notes where a part of a section goes; done if it is there already.
func (t *thinner) place(to *section, from *[]byte, off uint64) (at uint64, done bool) {
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
func (t *thinner) abbrevs(u *unit) (uint64, error) {
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

// part copies what off lies in, of a section whose parts begin with their
// lengths, and returns where off has gone.
func (t *thinner) part(to *section, from *[]byte, off uint64) (uint64, error) {
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
func (t *thinner) texted(u *unit, off uint64) (uint64, error) {
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
func (t *thinner) oldList(u *unit, to *section, from *[]byte, off uint64, locations bool) (uint64, error) {
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
func (t *thinner) covers(addr uint64) bool {
	n := sort.Search(len(t.code), func(n int) bool { return t.code[n].Low > addr })
	return n > 0 && t.code[n-1].Contains(addr)
}

// copyFrames copies the entries of .debug_frame that are about the units' code.
func (t *thinner) copyFrames() {
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

// symbols returns the symbols that the copy has: those of its code, and all
// of a relocatable file, which variables are found by.
func (t *thinner) symbols() []elf.Symbol {
	all, err := t.f.elf.Symbols()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(s elf.Symbol) bool {
		return t.f.elf.Type != elf.ET_REL && !t.covers(s.Value)
	})
}
