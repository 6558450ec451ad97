// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"sort"
	"unsafe"

	"github.com/pkg/errors"

	"gostap/internal/cache"
	"gostap/internal/qualified"
)

// The index file is a header and arrays of records of 32-bit numbers, one
// behind the other, then the strings. Addresses are counted from the header's
// base; names and paths are offsets in the strings.
const indexMagic = "gsdwarf6"

type indexHeader struct {
	Magic               [8]byte
	Size, ModTime, Base uint64 // of the debuginfo; the lowest address
	Counts              [numParts]uint32
	Path                uint32 // of the debuginfo
	Scoped              uint32 // 1 if names may have scopes, and be used without them: see qualified.Called
	_                   uint32
}

const (
	partUnits = iota
	partFiles
	partFuncs
	partInstances
	partRanges
	partGlobals
	partStrings
	numParts
)

type unitRec struct{ Off, Name uint32 }

// A funcRec is a function; a declaration that several units include counts once.
// Its instances are those from First to the next function's.
type funcRec struct{ Name, File, Line, First uint32 }

// noOuter marks an instance that is no copy inside another.
const noOuter = ^uint32(0)

// An instRec is an instance: where it is entered, the size of the range there,
// and the instance around it.
type instRec struct{ Entry, Low, Size, Die, Unit, Outer, Symbol uint32 }

// A rangeRec is code of an instance that is no copy.
type rangeRec struct{ Low, Size, Inst uint32 }

type varRec struct{ Name, File, Die, Unit uint32 }

// An Index locates the functions and variables of an ELF file. It is safe
// for use by several goroutines.
type Index struct {
	header    *indexHeader
	units     []unitRec  // by offset
	files     []uint32   // by path
	funcs     []funcRec  // by name, file, line; one more ends the last one's instances
	instances []instRec  // by function, entry
	ranges    []rangeRec // by address
	globals   []varRec   // by name
	strings   string
}

var errIndex = errors.New("the debuginfo index is damaged")

// part cuts the next n records off data.
func part[T any](data *[]byte, n uint32) []T {
	var zero T
	size := uint64(unsafe.Sizeof(zero)) * uint64(n)
	if size > uint64(len(*data)) {
		*data = nil
		return nil
	}
	p := (*data)[:size]
	*data = (*data)[size:]
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&p[0])), n)
}

func bytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), uintptr(len(list))*unsafe.Sizeof(list[0]))
}

// useIndex checks data and returns it as an index, which refers to it.
func useIndex(data []byte) (*Index, error) {
	if len(data) < int(unsafe.Sizeof(indexHeader{})) || string(data[:8]) != indexMagic {
		return nil, errIndex
	}
	h := (*indexHeader)(unsafe.Pointer(&data[0]))
	rest := data[unsafe.Sizeof(*h):]
	x := &Index{header: h}
	x.units = part[unitRec](&rest, h.Counts[partUnits])
	x.files = part[uint32](&rest, h.Counts[partFiles])
	x.funcs = part[funcRec](&rest, h.Counts[partFuncs])
	x.instances = part[instRec](&rest, h.Counts[partInstances])
	x.ranges = part[rangeRec](&rest, h.Counts[partRanges])
	x.globals = part[varRec](&rest, h.Counts[partGlobals])
	x.strings = str(part[byte](&rest, h.Counts[partStrings]))
	if len(rest) != 0 || len(x.strings) != int(h.Counts[partStrings]) || len(x.funcs) == 0 {
		return nil, errIndex
	}
	return x, nil
}

// openIndex opens an index file that was made of the debuginfo at path as it
// is now.
func openIndex(file string) (*Index, error) {
	data, err := cache.Map(file)
	if err != nil {
		return nil, err
	}
	return useIndex(data)
}

// text returns the string at offset.
func (x *Index) text(off uint32) string {
	if uint64(off) >= uint64(len(x.strings)) {
		return ""
	}
	s := x.strings[off:]
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i]
		}
	}
	return s
}

// Path returns the file with the debuginfo.
func (x *Index) Path() string { return x.text(x.header.Path) }

// A Func is a function of the source.
type Func struct {
	Name string // with its namespaces and types: ns::Class::method
	File string // its path, relative to the compiler's folder
	Line int    // of its declaration

	x *Index
	n int
}

// An Instance is code of a function: the function itself, or a copy of it that
// is inlined into another.
type Instance struct {
	Func    Func
	Entry   uint64 // where it is entered
	Range          // around Entry; there may be more
	Inlined bool
	Symbol  string    // the symbol of the code, "" if the symbol table has none
	Outer   *Instance // of an inlined copy: the function around it
	Die     uint32    // its DIE's offset; an inlined copy's is above that of the code around it
	unit    uint32
}

// Outermost is the function that an instance's code is in: for an inlined copy
// the one around it, else the instance itself.
func (in *Instance) Outermost() *Instance {
	if in.Outer != nil {
		return in.Outer
	}
	return in
}

func (x *Index) fn(i int) Func {
	r := &x.funcs[i]
	return Func{x.text(r.Name), x.text(r.File), int(r.Line), x, i}
}

func (x *Index) instance(i uint32) Instance {
	return x.instanceOf(i, x.fn(sort.Search(len(x.funcs)-1, func(n int) bool { return x.funcs[n+1].First > i })))
}

func (x *Index) instanceOf(i uint32, f Func) Instance {
	r := &x.instances[i]
	base := x.header.Base
	in := Instance{Func: f, Entry: base + uint64(r.Entry), Range: Range{base + uint64(r.Low), base + uint64(r.Low) + uint64(r.Size)},
		Symbol: x.text(r.Symbol), Die: r.Die, unit: r.Unit}
	if r.Outer != noOuter {
		in.Inlined = true
		if r.Outer < uint32(len(x.instances)) && x.instances[r.Outer].Outer == noOuter {
			outer := x.instance(r.Outer)
			in.Outer, in.Symbol = &outer, outer.Symbol
		}
	}
	return in
}

// Instances returns f's code, by address.
func (f Func) Instances() []Instance {
	first, end := f.x.funcs[f.n].First, f.x.funcs[f.n+1].First
	if end > uint32(len(f.x.instances)) || first > end {
		return nil
	}
	list := make([]Instance, 0, end-first)
	for i := first; i < end; i++ {
		list = append(list, f.x.instanceOf(i, f))
	}
	return list
}

// Lookup returns the functions called name, with or without namespaces and types.
func (x *Index) Lookup(name string) (list []Func) {
	for _, i := range x.called(len(x.funcs)-1, func(i int) uint32 { return x.funcs[i].Name }, name) {
		list = append(list, x.fn(i))
	}
	return list
}

// called returns which of n records, in the order of their names, are called name: first those of that full name, then those
// whose namespaces and types it leaves out.
func (x *Index) called(n int, nameOf func(int) uint32, name string) (list []int) {
	for i := sort.Search(n, func(i int) bool { return x.text(nameOf(i)) >= name }); i < n && x.text(nameOf(i)) == name; i++ {
		list = append(list, i)
	}
	if x.header.Scoped == 0 {
		return list
	}
	for i := range n {
		if full := x.text(nameOf(i)); full != name && qualified.Called(full, name) {
			list = append(list, i)
		}
	}
	return list
}

// Match returns the functions whose name and file match, in the order of names.
// file is called once for each file.
func (x *Index) Match(name, file func(string) bool) []Func {
	fits := make(map[uint32]bool, len(x.files))
	for _, off := range x.files {
		fits[off] = file(x.text(off))
	}
	var list []Func
	for i := range len(x.funcs) - 1 {
		if fits[x.funcs[i].File] && name(x.text(x.funcs[i].Name)) {
			list = append(list, x.fn(i))
		}
	}
	return list
}

// Files returns the paths of all files with functions in them.
func (x *Index) Files() []string {
	list := make([]string, len(x.files))
	for i, off := range x.files {
		list[i] = x.text(off)
	}
	return list
}

// At returns the function, not an inlined copy, that contains pc.
func (x *Index) At(pc uint64) (Instance, bool) {
	if pc < x.header.Base || pc-x.header.Base > 1<<32-1 {
		return Instance{}, false
	}
	at := uint32(pc - x.header.Base)
	i := sort.Search(len(x.ranges), func(i int) bool { return x.ranges[i].Low > at })
	if i == 0 {
		return Instance{}, false
	}
	r := &x.ranges[i-1]
	if at-r.Low >= r.Size || r.Inst >= uint32(len(x.instances)) {
		return Instance{}, false
	}
	return x.instance(r.Inst), true
}
