// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/pkg/errors"

	"gostap/internal/panics"
)

// Progress is called with the number of bytes that have been read, and of all bytes.
type Progress func(done, total int64)

// buildIndex builds the index of f.
func buildIndex(f *File, info os.FileInfo, progress Progress) ([]byte, error) {
	all, err := f.scanAll(progress)
	if err != nil {
		return nil, err
	}
	b := &builder{
		text: map[string]uint32{"": 0}, strings: []byte{0},
		funcs: map[funcKey]uint32{}, files: map[uint32]bool{},
	}
	if f.alt != nil {
		if b.alt, err = f.alt.scanAll(func(int64, int64) {}); err != nil {
			return nil, errors.Wrap(err, f.alt.Path)
		}
	}
	b.all = all
	b.symbols = f.symbols()
	return b.build(f, info)
}

// scanAll scans all units on all CPUs, and returns what they have by offset.
func (f *File) scanAll(progress Progress) ([]*found, error) {
	headers, err := f.unitHeaders()
	if err != nil {
		return nil, err
	}
	all := make([]*found, len(headers))
	failed := make([]error, len(headers))
	var next, done atomic.Int64
	var group panics.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(headers) {
					return
				}
				u, err := f.readUnit(headers[i].off)
				if err == nil {
					all[i], err = u.scan()
					u.abbrevs, u.table = nil, nil // all[i] keeps u, but these are not needed any more
				}
				failed[i] = err
				progress(done.Add(int64(headers[i].end-headers[i].off)), int64(len(f.info)))
			}
		})
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

type funcKey struct{ name, file, line uint32 }

// A builder joins the results of the units' scans.
type builder struct {
	all, alt []*found
	symbols  []symbol

	text    map[string]uint32
	strings []byte
	funcs   map[funcKey]uint32
	files   map[uint32]bool

	low, high uint64 // bounds of the code

	units     []unitRec
	list      []funcRec
	owners    []uint32 // the function of each instance
	instances []instRec
	ranges    []rangeRec
	globals   []varRec
	scoped    uint32 // 1 if a function or a variable is in a namespace or a type, or a function is a template's
}

// intern returns the offset of s among the strings.
func (b *builder) intern(s string) uint32 {
	if off, ok := b.text[s]; ok {
		return off
	}
	off := uint32(len(b.strings))
	b.strings = append(append(b.strings, s...), 0)
	b.text[s] = off
	return off
}

// abstract finds the declaration at a DIE, through specifications: its name, and where it is defined.
func abstract(all []*found, die uint64) *abstractRec {
	var defined abstractRec
	for range maxOrigins {
		i := sort.Search(len(all), func(i int) bool { return uint64(all[i].u.off) > die })
		if i == 0 {
			return nil
		}
		list := all[i-1].abstracts
		j, ok := slices.BinarySearchFunc(list, uint32(die), func(a abstractRec, die uint32) int { return cmp.Compare(a.die, die) })
		if !ok {
			return nil
		}
		a := &list[j]
		// A definition has only the attributes that differ from the declaration: often the line, and not the file.
		if defined.line == 0 {
			defined.line = a.line
		}
		if defined.file == "" {
			defined.file = a.file
		}
		if a.name != "" {
			defined.name, defined.scope = a.name, a.scope
			return &defined
		}
		die = a.origin
	}
	return nil
}

// fn returns the number of a declared function.
func (b *builder) fn(a *abstractRec) uint32 {
	key := funcKey{b.intern(a.scope + a.name), b.intern(a.file), a.line}
	n, ok := b.funcs[key]
	if !ok {
		n = uint32(len(b.list))
		b.funcs[key] = n
		b.list = append(b.list, funcRec{Name: key.name, File: key.file, Line: key.line})
		b.files[key.file] = true
		if a.scope != "" || strings.HasSuffix(a.name, ">") {
			b.scoped = 1
		}
	}
	return n
}

// symbol returns the name of the symbol at addr.
func (b *builder) symbol(addr uint64) uint32 {
	i := sort.Search(len(b.symbols), func(i int) bool { return b.symbols[i].addr >= addr })
	if i < len(b.symbols) && b.symbols[i].addr == addr {
		return b.intern(b.symbols[i].name)
	}
	return 0
}

// build returns the index of all units.
func (b *builder) build(f *File, info os.FileInfo) ([]byte, error) {
	var h indexHeader
	copy(h.Magic[:], indexMagic)
	h.Path = b.intern(f.Path)
	h.Size, h.ModTime = uint64(info.Size()), uint64(info.ModTime().UnixNano())
	low, high := codeBounds(b.all)
	if high-low >= 1<<32 {
		return nil, errors.New("its code lies more than 4 GiB apart")
	}
	h.Base = low
	b.low, b.high = low, high
	for n, u := range b.all {
		b.units = append(b.units, unitRec{u.u.off, b.intern(u.u.name)})
		b.unit(uint32(n), u)
	}
	ranges, globals := b.ranges, b.globals
	b.sort(ranges)
	slices.SortFunc(ranges, func(x, y rangeRec) int { return cmp.Compare(x.Low, y.Low) })
	slices.SortStableFunc(globals, func(x, y varRec) int { return strings.Compare(b.string(x.Name), b.string(y.Name)) })
	files := make([]uint32, 0, len(b.files))
	for off := range b.files {
		files = append(files, off)
	}
	slices.SortFunc(files, func(x, y uint32) int { return strings.Compare(b.string(x), b.string(y)) })
	h.Counts = [numParts]uint32{uint32(len(b.units)), uint32(len(files)), uint32(len(b.list)), uint32(len(b.instances)),
		uint32(len(ranges)), uint32(len(globals)), uint32(len(b.strings))}
	h.Scoped = b.scoped
	var out []byte
	for _, p := range [][]byte{bytesOf([]indexHeader{h}), bytesOf(b.units), bytesOf(files), bytesOf(b.list), bytesOf(b.instances),
		bytesOf(ranges), bytesOf(globals), b.strings} {
		out = append(out, p...)
	}
	return out, nil
}

// codeBounds returns the lowest address of the units' code and the end of the highest; 0 and 0 without code.
func codeBounds(all []*found) (low, high uint64) {
	low = ^uint64(0)
	for _, u := range all {
		for i := range u.instances {
			for _, r := range u.instances[i].ranges {
				low, high = min(low, r.Low), max(high, r.High)
			}
		}
	}
	if low >= high {
		return 0, 0
	}
	return low, high
}

// unit adds the instances and global variables of the n-th unit.
func (b *builder) unit(n uint32, u *found) {
	at := make([]uint32, len(u.instances)) // their numbers
	for i := range u.instances {
		in := &u.instances[i]
		at[i] = noOuter
		all := b.all
		if in.alt {
			all = b.alt
		}
		a := abstract(all, in.origin)
		if a == nil || in.outer >= 0 && at[in.outer] == noOuter {
			continue
		}
		entry, around := in.entry, in.ranges[0]
		for _, r := range in.ranges {
			if r.Contains(entry) {
				around = r
			}
		}
		if entry < b.low || entry >= b.high {
			entry = around.Low
		}
		rec := instRec{Entry: uint32(entry - b.low), Low: uint32(around.Low - b.low), Size: uint32(around.High - around.Low),
			Die: in.die, Unit: n, Outer: noOuter}
		at[i] = uint32(len(b.instances))
		if in.outer >= 0 {
			rec.Outer = at[in.outer]
		} else {
			rec.Symbol = b.symbol(around.Low)
			for _, r := range in.ranges {
				b.ranges = append(b.ranges, rangeRec{uint32(r.Low - b.low), uint32(r.High - r.Low), at[i]})
			}
		}
		b.owners = append(b.owners, b.fn(a))
		b.instances = append(b.instances, rec)
	}
	for _, g := range u.globals {
		b.globals = append(b.globals, varRec{b.intern(g.scope + g.name), b.intern(g.file), g.die, n})
		if g.scope != "" {
			b.scoped = 1
		}
	}
}

// string returns the string at off.
func (b *builder) string(off uint32) string {
	s := b.strings[off:]
	return str(s[:slices.Index(s, 0)])
}

// sort puts functions into the order of names, and their instances into the
// order of addresses, behind each other.
func (b *builder) sort(ranges []rangeRec) {
	order := make([]uint32, len(b.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		f, g := &b.list[x], &b.list[y]
		if c := strings.Compare(b.string(f.Name), b.string(g.Name)); c != 0 {
			return c
		}
		if c := strings.Compare(b.string(f.File), b.string(g.File)); c != 0 {
			return c
		}
		return cmp.Compare(f.Line, g.Line)
	})
	rank := make([]uint32, len(order))
	funcs := make([]funcRec, 0, len(order)+1)
	for i, n := range order {
		rank[n] = uint32(i)
		funcs = append(funcs, b.list[n])
	}
	places := make([]uint32, len(b.instances))
	for i := range places {
		places[i] = uint32(i)
	}
	slices.SortFunc(places, func(x, y uint32) int {
		if c := cmp.Compare(rank[b.owners[x]], rank[b.owners[y]]); c != 0 {
			return c
		}
		if c := cmp.Compare(b.instances[x].Entry, b.instances[y].Entry); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	})
	moved := make([]uint32, len(places))
	sorted := make([]instRec, len(places))
	for i, n := range places {
		moved[n] = uint32(i)
		sorted[i] = b.instances[n]
	}
	last := 0
	for i, n := range places {
		for f := int(rank[b.owners[n]]); last <= f; last++ {
			funcs[last].First = uint32(i)
		}
		if sorted[i].Outer != noOuter {
			sorted[i].Outer = moved[sorted[i].Outer]
		}
	}
	for ; last < len(funcs); last++ {
		funcs[last].First = uint32(len(sorted))
	}
	for i := range ranges {
		ranges[i].Inst = moved[ranges[i].Inst]
	}
	b.list, b.instances = append(funcs, funcRec{First: uint32(len(sorted))}), sorted
}
