// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"encoding/binary"
	"sort"
	"unsafe"

	"github.com/pkg/errors"
)

// The index file: a header, an entry for each function in the order of their
// names, one more that ends the last name, and the names.
//
//	magic[8] count:u32 names:u32 stext:u64 btf:u64
//	{name:u32 size:u32 offset:i32 kind:u8 flags:u8 refusal:u8 0:u8} × (count+1)
//	names
const (
	indexMagic  = "gsksyms4"
	headerSize  = 32
	entrySize   = 16
	flagFtrace  = 1
	flagExports = 2
)

// encodeIndex writes functions that are sorted. btf is the size of the file
// that belongs to the index.
func encodeIndex(list []Func, stext uint64, btf int) []byte {
	names := 0
	for i := range list {
		names += len(list[i].Name)
	}
	le := binary.LittleEndian
	out := make([]byte, 0, headerSize+entrySize*(len(list)+1)+names)
	out = append(out, indexMagic...)
	out = le.AppendUint32(out, uint32(len(list)))
	out = le.AppendUint32(out, uint32(names))
	out = le.AppendUint64(out, stext)
	out = le.AppendUint64(out, uint64(btf))
	at := 0
	for i := range list {
		f := &list[i]
		flags := byte(0)
		if f.Ftrace {
			flags |= flagFtrace
		}
		if f.Exported {
			flags |= flagExports
		}
		out = le.AppendUint32(out, uint32(at))
		out = le.AppendUint32(out, f.Size)
		out = le.AppendUint32(out, uint32(f.Offset))
		out = append(out, f.Kind, flags, byte(f.Refusal), 0)
		at += len(f.Name)
	}
	out = le.AppendUint32(out, uint32(at))
	out = append(out, make([]byte, entrySize-4)...)
	for i := range list {
		out = append(out, list[i].Name...)
	}
	return out
}

// An index is an index file in memory.
type index struct {
	count   int
	stext   uint64
	btf     int64 // the size of the kernel's BTF
	entries []byte
	names   string
}

var errIndex = errors.New("the kernel index is damaged")

// openIndex checks data and returns it as an index, which refers to it.
func openIndex(data []byte) (*index, error) {
	if len(data) < headerSize || string(data[:8]) != indexMagic {
		return nil, errIndex
	}
	le := binary.LittleEndian
	x := &index{count: int(le.Uint32(data[8:])), stext: le.Uint64(data[16:]), btf: int64(le.Uint64(data[24:]))}
	names := int(le.Uint32(data[12:]))
	if len(data) != headerSize+entrySize*(x.count+1)+names {
		return nil, errIndex
	}
	x.entries = data[headerSize : len(data)-names]
	if names > 0 {
		x.names = unsafe.String(&data[len(data)-names], names)
	}
	last := uint32(0)
	for i := 0; i <= x.count; i++ {
		at := le.Uint32(x.entries[i*entrySize:])
		if at < last || at > uint32(names) {
			return nil, errIndex
		}
		last = at
	}
	return x, nil
}

// name returns the i-th function's name.
func (x *index) name(i int) string {
	e := x.entries[i*entrySize:]
	return x.names[binary.LittleEndian.Uint32(e):binary.LittleEndian.Uint32(e[entrySize:])]
}

// fn returns the i-th function.
func (x *index) fn(i int) Func {
	e := x.entries[i*entrySize:]
	offset := int64(int32(binary.LittleEndian.Uint32(e[8:])))
	f := Func{
		Name:     x.name(i),
		Addr:     x.stext + uint64(offset),
		Offset:   offset,
		Size:     binary.LittleEndian.Uint32(e[4:]),
		Kind:     e[12],
		Ftrace:   e[13]&flagFtrace != 0,
		Exported: e[13]&flagExports != 0,
		Refusal:  min(Refusal(e[14]), lastRefusal),
	}
	return f
}

// first returns the index of the first name that is not below name.
func (x *index) first(name string) int {
	return sort.Search(x.count, func(i int) bool { return x.name(i) >= name })
}
