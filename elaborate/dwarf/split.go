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
	skeleton                                    uint32 // its unit
	abbrev, str, strOffsets, loclists, rnglists uint64
}

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
		5: {"loclists", &f.loclists, &p.loclists}, 8: {"rnglists", &f.rnglists, &p.rnglists},
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
		if headers[i].kind != utSkeleton {
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
		name := root.text(dwarf.AttrDwoName)
		if !filepath.IsAbs(name) {
			name = filepath.Join(u.dir, name)
		}
		skeletons[headers[i].id], files = u.off, append(files, name)
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
	if uint64(len(f.info))+uint64(len(from.info)) >= 1<<32 {
		return errors.New(".debug_info of more than 4 GiB")
	}
	headers, err := from.unitHeaders()
	if err != nil {
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
		id := h.id
		if h.kind == utSplitType {
			id = h.signature
		}
		for column, s := range f.splitSections(&p) {
			*s.base += contributions[id][column]
		}
		skeleton, known := skeletons[id]
		if !known && h.kind == utSplitCompile {
			f.replaced[start+h.off] = true // another program's, or another compilation's
			continue
		}
		p.skeleton = skeleton
		f.parts[start+h.off] = p
		if h.kind == utSplitCompile {
			f.replaced[skeleton] = true
		}
	}
	f.info = append(f.info[:start:start], from.info...)
	if f.typesAt == start {
		f.typesAt = uint32(len(f.info))
	}
	return nil
}

// readContributions reads an index of a package: for each unit, by its number or signature, where in the sections, by their
// columns' numbers, its parts begin. (DWARF 5, 7.3.5.3.)
func readContributions(index []byte, to map[uint64]map[uint32]uint64) error {
	b := buf{data: index}
	version := b.u16()
	b.u16()
	columns, units, slots := b.u32(), b.u32(), b.u32()
	if b.bad || version != 5 || columns > 16 || uint64(slots)*12 > uint64(len(index)) || uint64(units)*uint64(columns)*4 > uint64(len(index)) {
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
	if u.kind != utSplitCompile {
		return nil
	}
	skeleton, err := u.f.readUnit(p.skeleton)
	if err != nil {
		return err
	}
	u.addrBase, u.low, u.dir = skeleton.addrBase, skeleton.low, skeleton.dir
	u.stmtList, u.hasLines = skeleton.stmtList, skeleton.hasLines
	return nil
}
