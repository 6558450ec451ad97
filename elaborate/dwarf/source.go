// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"

	"github.com/pkg/errors"
)

// A Statement is an address at which code of a line of the source begins.
type Statement struct {
	Addr uint64
	Line int
}

// Statements returns the address at which each line of in's own function begins in its
// code, by address, without lines of functions inlined there. A line begins at its
// lowest address with is_stmt or, if there is none, as in code that the compiler has
// split off, at its lowest address.
func (i *Info) Statements(in Instance) ([]Statement, error) {
	d, err := i.dieOf(in)
	if err != nil {
		return nil, err
	}
	table, err := d.u.lineTable()
	if err != nil {
		return nil, err
	}
	best := map[uint32]Row{}
	for _, r := range d.ranges() {
		at := sort.Search(len(table.rows), func(n int) bool { return table.rows[n].Addr >= r.Low })
		for ; at < len(table.rows) && table.rows[at].Addr < r.High; at++ {
			row := table.rows[at]
			if row.End || row.Line == 0 || table.file(row.File) != in.Func.File {
				continue
			}
			old, ok := best[row.Line]
			if !ok || row.IsStmt && !old.IsStmt || row.IsStmt == old.IsStmt && row.Addr < old.Addr {
				best[row.Line] = row
			}
		}
	}
	var list []Statement
	for line, row := range best {
		if i.owner(in.Func.File, int(line)) == in.Func.Line {
			list = append(list, Statement{row.Addr, int(line)})
		}
	}
	slices.SortFunc(list, func(a, b Statement) int {
		if c := cmp.Compare(a.Addr, b.Addr); c != 0 {
			return c
		}
		return cmp.Compare(a.Line, b.Line)
	})
	return list, nil
}

// LineAt returns the file and line of the code at pc.
func (i *Info) LineAt(pc uint64) (file string, line int, ok bool) {
	in, ok := i.At(pc)
	if !ok {
		return "", 0, false
	}
	d, err := i.dieOf(in)
	if err != nil {
		return "", 0, false
	}
	table, err := d.u.lineTable()
	if err != nil {
		return "", 0, false
	}
	row, ok := table.at(pc)
	return table.file(row.File), int(row.Line), ok
}

// StatementAt returns the function, or the copy inlined deepest, and the line of the
// statement that begins at an address; an error that names the next one if
// none does.
func (i *Info) StatementAt(addr uint64) (in Instance, line int, err error) {
	in, ok := i.At(addr)
	if !ok {
		return in, 0, errors.New("no function has this address, as linked, in its code")
	}
	d, err := i.dieOf(in)
	if err != nil {
		return in, 0, err
	}
	table, err := d.u.lineTable()
	if err != nil {
		return in, 0, err
	}
	row, ok := table.at(addr)
	if !ok {
		return in, 0, errors.New("the debuginfo has no line for it")
	}
	if row.Addr != addr {
		return in, 0, errors.Errorf("no statement begins there: %s:%d begins at %#x", table.file(row.File), row.Line, row.Addr)
	}
	for depth := 0; depth < maxBlocks; depth++ {
		inner, found := die{}, false
		own(d, maxBlocks, func(c die) {
			if c.tag == dwarf.TagInlinedSubroutine && c.covers(addr) {
				inner, found = c, true
			}
		})
		if !found {
			break
		}
		copy, ok := i.instanceAt(in.unit, inner.off)
		if !ok {
			break
		}
		d, in = inner, copy
	}
	return in, int(row.Line), nil
}

// Start returns the start of the piece of code that contains an address of an instance:
// the function itself, or a part that the compiler has split off.
func (i *Info) Start(in Instance, pc uint64) uint64 {
	if in.Outer != nil {
		in = *in.Outer
	}
	if d, err := i.dieOf(in); err == nil {
		for _, r := range d.ranges() {
			if r.Contains(pc) {
				return r.Low
			}
		}
	}
	return pc
}

// dieOf returns the DIE of an instance.
func (i *Info) dieOf(in Instance) (die, error) {
	f, err := i.file()
	if err != nil {
		return die{}, err
	}
	if in.unit >= uint32(len(i.units)) {
		return die{}, errIndex
	}
	u, err := f.unit(i.units[in.unit].Off)
	if err != nil {
		return die{}, err
	}
	d, ok := u.die(in.Die)
	if !ok {
		return die{}, errDWARF
	}
	return d, nil
}

// owner returns the first line of the function that contains a line of a file: the last
// one before it, as C has no nested functions.
func (i *Info) owner(file string, line int) int {
	i.mu.Lock()
	starts, ok := i.starts[file]
	if !ok {
		starts = i.startsOf(file)
		i.starts[file] = starts
	}
	i.mu.Unlock()
	n := sort.SearchInts(starts, line+1)
	if n == 0 {
		return 0
	}
	return starts[n-1]
}

// startsOf returns the lines at which functions begin in a file.
func (i *Info) startsOf(file string) []int {
	n := sort.Search(len(i.files), func(n int) bool { return i.text(i.files[n]) >= file })
	if n == len(i.files) || i.text(i.files[n]) != file {
		return nil
	}
	var starts []int
	for k := range i.funcs[:len(i.funcs)-1] {
		if i.funcs[k].File == i.files[n] {
			starts = append(starts, int(i.funcs[k].Line))
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// Lines returns the lines of a function's source that have code of their own in
// some instance, from the first to the last.
func (i *Info) Lines(f Func) ([]int, error) {
	var lines []int
	for _, in := range f.Instances() {
		list, err := i.Statements(in)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			lines = append(lines, s.Line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

// SymbolAt returns the symbol before an address in the same section, whose name
// no other symbol of the file has, and the distance to it.
func (i *Info) SymbolAt(addr uint64) (name string, offset int64, ok bool) {
	f, err := i.file()
	if err != nil {
		return "", 0, false
	}
	section, ok := f.Section(addr)
	if !ok {
		return "", 0, false
	}
	f.syms.Do(func() {
		f.list = f.symbols()
		f.names = map[string]int{}
		for _, s := range f.list {
			f.names[s.name]++
		}
	})
	for n := sort.Search(len(f.list), func(n int) bool { return f.list[n].addr > addr }) - 1; n >= 0 && f.list[n].addr >= section.Addr; n-- {
		if s := &f.list[n]; f.names[s.name] == 1 && s.typed {
			return s.name, int64(addr - s.addr), true
		}
	}
	return "", 0, false
}

// SectionAt returns the section that an address is in, one without a name for none.
func (i *Info) SectionAt(addr uint64) Section {
	f, err := i.file()
	if err != nil {
		return Section{}
	}
	s, _ := f.Section(addr)
	return s
}
