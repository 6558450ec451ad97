// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// A split unit's DIEs are in a file of their own, NAME.dwo, or with those of all units in PROGRAM.dwp; the program has a
// skeleton of it, with its addresses and lines (-gsplit-dwarf; DWARF 5, section 7.3). The content of such files is appended to the
// program's sections, and a splitPart has the offsets of a unit's parts in them.
type splitPart struct {
	skeleton                                         uint32 // its unit
	abbrev, str, strOffsets, loclists, rnglists, loc uint64
	types                                            bool // a type unit of DWARF 4
}

// GNU's attributes for DWARF 4, which become those of DWARF 5.
const (
	attrGNUDwoName    dwarf.Attr = 0x2130
	attrGNUDwoID      dwarf.Attr = 0x2131
	attrGNURangesBase dwarf.Attr = 0x2132
	attrGNUAddrBase   dwarf.Attr = 0x2133
)

// Columns of a package's index: that of .debug_info, and of .debug_loc.dwo, which has the number of .debug_loclists.dwo in GNU's indexes
// for DWARF 4.
const (
	columnInfo     = 1
	columnLoclists = 5
	columnRnglists = 8
	columnLoc      = 100
)

// splitSections are the sections for which a unit's offsets are relative to its part of them, with the columns' numbers in a
// package's index. (DWARF 5, 7.3.5.3.)
func (f *File) splitSections(p *splitPart) map[uint32]struct {
	name string
	all  *[]byte
	base *uint64
} {
	type entry = struct {
		name string
		all  *[]byte
		base *uint64
	}
	return map[uint32]entry{
		3: {"abbrev", &f.abbrev, &p.abbrev}, 0: {"str", &f.str, &p.str}, 6: {"str_offsets", &f.strOffsets, &p.strOffsets},
		columnLoclists: {"loclists", &f.loclists, &p.loclists}, columnRnglists: {"rnglists", &f.rnglists, &p.rnglists},
		columnLoc: {"loc", &f.loc, &p.loc},
	}
}

// readSplit reads the units for which the file has skeletons. A unit whose file is missing, or of
// another compilation, remains a skeleton.
func (f *File) readSplit() error {
	if len(f.addr) == 0 {
		return nil
	}
	headers, err := f.unitHeaders()
	if err != nil {
		return nil // the error is reported when they are read
	}
	skeletons := map[uint64]uint32{}
	var files []string
	for i := range headers {
		if headers[i].kind != utSkeleton && (headers[i].version >= 5 || headers[i].kind != utCompile) {
			continue
		}
		u, err := f.readUnit(headers[i].off)
		if err != nil {
			continue
		}
		root, _ := u.die(u.first)
		if root.abbrev == nil {
			continue
		}
		name, id := root.text(dwarf.AttrDwoName), headers[i].id
		if u.version < 5 {
			name = root.text(attrGNUDwoName)
			id, _ = root.number(attrGNUDwoID)
		}
		if name == "" {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(u.dir, name)
		}
		skeletons[id], files = u.off, append(files, name)
	}
	if len(files) == 0 {
		return nil
	}
	f.parts, f.replaced = map[uint32]splitPart{}, map[uint32]bool{}
	if err := f.appendSplit(f.Path+".dwp", skeletons); err == nil && len(f.parts) > 0 {
		return nil
	}
	for _, name := range files {
		stat, err := os.Stat(name)
		if os.IsNotExist(err) {
			name = filepath.Join(filepath.Dir(f.Path), filepath.Base(name)) // moved with the program
			stat, err = os.Stat(name)
		}
		if err != nil || !stat.Mode().IsRegular() {
			continue
		}
		if err := f.appendSplit(name, skeletons); err != nil {
			return errors.Wrap(err, name)
		}
	}
	return nil
}

// appendSplit appends the units of a .dwo or .dwp file that skeletons, by their numbers, belong to.
func (f *File) appendSplit(path string, skeletons map[uint64]uint32) error {
	data, err := cache.Map(path)
	if err != nil {
		return err
	}
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	from := &File{Path: path, cache: f.cache, elf: e, data: data}
	section := func(name string) (all []byte, err error) {
		for _, s := range e.Sections { // each type may have one of its own
			if s.Name == ".debug_"+name+".dwo" {
				more, err := from.content(s)
				if err != nil {
					return nil, err
				}
				all = append(all, more...)
			}
		}
		return all, nil
	}
	if from.info, err = section("info"); err != nil {
		return err
	}
	from.typesAt = uint32(len(from.info))
	types, err := section("types")
	if err != nil {
		return err
	}
	from.info = append(from.info, types...)
	if uint64(len(f.info))+uint64(len(from.info)) >= 1<<32 {
		return errors.New(".debug_info of more than 4 GiB")
	}
	headers, err := from.unitHeaders()
	if err != nil {
		return err
	}
	if from.abbrev, err = section("abbrev"); err != nil {
		return err
	}
	var whole splitPart
	for _, s := range f.splitSections(&whole) {
		more, err := section(s.name)
		if err != nil {
			return err
		}
		*s.base = uint64(len(*s.all))
		*s.all = append((*s.all)[:len(*s.all):len(*s.all)], more...)
	}
	contributions := map[uint64]map[uint32]uint64{}
	for _, name := range []string{"cu_index", "tu_index"} {
		if s := e.Section(".debug_" + name); s != nil && s.Size > 0 {
			index, err := from.content(s)
			if err == nil {
				err = readContributions(index, contributions)
			}
			if err != nil {
				return err
			}
		}
	}
	start := uint32(len(f.info))
	for i := range headers {
		h, p := &headers[i], whole
		p.types = h.kind == utType
		id, compiles := from.splitID(h, contributions)
		for column, s := range f.splitSections(&p) {
			*s.base += contributions[id][column]
		}
		skeleton, known := skeletons[id]
		if !known && compiles {
			f.replaced[start+h.off] = true // another program's, or another compilation's
			continue
		}
		p.skeleton = skeleton
		f.parts[start+h.off] = p
		if compiles {
			f.replaced[skeleton] = true
		}
	}
	f.info = append(f.info[:start:start], from.info...)
	if f.typesAt == start {
		f.typesAt = uint32(len(f.info))
	}
	return nil
}

// splitID returns the number of a unit of a .dwo or .dwp file, or its signature, if it is one of types. (In DWARF 4 the number stands in
// the unit's first DIE, or, in a package, whose abbreviations are found by the number, in the index alone.)
func (f *File) splitID(h *header, contributions map[uint64]map[uint32]uint64) (id uint64, compiles bool) {
	switch {
	case h.kind == utType || h.kind == utSplitType:
		return h.signature, false
	case h.version >= 5:
		return h.id, h.kind == utSplitCompile
	}
	for id, of := range contributions {
		if at, ok := of[columnInfo]; ok && at == uint64(h.off) {
			return id, true
		}
	}
	if u, err := f.readUnit(h.off); err == nil && len(contributions) == 0 {
		if root, ok := u.die(u.first); ok {
			id, _ = root.number(attrGNUDwoID)
		}
	}
	return id, true
}

// readContributions reads an index of a package: for each unit, by its number or signature, where in the sections, by their
// columns' numbers, its parts begin. (DWARF 5, 7.3.5.3.)
func readContributions(index []byte, to map[uint64]map[uint32]uint64) error {
	b := buf{data: index}
	version := b.u16()
	b.u16()
	columns, units, slots := b.u32(), b.u32(), b.u32()
	if b.bad || version != 5 && version != 2 || columns > 16 || uint64(slots)*12 > uint64(len(index)) || uint64(units)*uint64(columns)*4 > uint64(len(index)) {
		return errDWARF
	}
	ids, rows := make([]uint64, slots), make([]uint32, slots)
	for i := range ids {
		ids[i] = b.u64()
	}
	for i := range rows {
		rows[i] = b.u32()
	}
	numbers := make([]uint32, columns)
	for i := range numbers {
		numbers[i] = b.u32()
		if version == 2 {
			switch numbers[i] {
			case columnLoclists:
				numbers[i] = columnLoc
			case columnRnglists: // .debug_macro.dwo
				numbers[i] = 0xff
			}
		}
	}
	table := b.at
	for i, row := range rows {
		if row == 0 || row > units {
			continue
		}
		cells := bufAt(index, uint64(table)+uint64(row-1)*uint64(columns)*4)
		of := map[uint32]uint64{}
		for _, n := range numbers {
			of[n] = uint64(cells.u32())
		}
		if cells.bad {
			return errDWARF
		}
		to[ids[i]] = of
	}
	if b.bad {
		return errDWARF
	}
	return nil
}

// split completes a unit by its part and its skeleton.
func (u *unit) split(p splitPart) error {
	u.strBase, u.strOffsets = p.str, p.strOffsets+8 // behind the headers
	u.loclistsBase, u.rnglistsBase = p.loclists+12, p.rnglists+12
	if u.version < 5 {
		u.strOffsets, u.locBase = p.strOffsets, p.loc
	}
	if u.kind != utSplitCompile {
		return nil
	}
	skeleton, err := u.f.readUnit(p.skeleton)
	if err != nil {
		return err
	}
	u.addrBase, u.low, u.dir = skeleton.addrBase, skeleton.low, skeleton.dir
	u.rangesBase = skeleton.splitRanges
	u.stmtList, u.hasLines = skeleton.stmtList, skeleton.hasLines
	return nil
}
