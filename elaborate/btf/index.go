// SPDX-License-Identifier: GPL-2.0-or-later

package btf

import (
	"hash/crc32"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// The index file: the offset of each type in the blob's types, and the
// numbers of all types with names, in the order of these.
//
//	magic[8] blobsize:u32 blobsum:u32 types:u32 named:u32
//	offset:u32 × types
//	id:u32 × named, each counted from 1
const (
	indexMagic = "gsbtfix1"
	headerSize = 24
)

// A Spec is a kernel's BTF, or that of one of its modules, whose numbering continues that
// of the kernel.
type Spec struct {
	raw     *raw
	offsets []byte // u32 each; type n is at n-first
	named   []byte // u32 each
	first   ID     // of its own types
	base    *Spec  // the kernel's, for a module's; nil for a kernel's

	gather      sync.Once
	enumerators map[string]int64 // its own
}

// Open opens the raw BTF in the file path. Its index is kept beside it.
func Open(path string) (*Spec, error) { return open(path, nil) }

// OpenSplit opens the BTF of a module, which refers to types of the kernel's.
func (s *Spec) OpenSplit(path string) (*Spec, error) { return open(path, s) }

func open(path string, base *Spec) (*Spec, error) {
	blob, err := cache.Map(path)
	if err != nil {
		return nil, errors.Wrap(err, "BTF")
	}
	r, err := parseRaw(blob)
	if err != nil {
		return nil, errors.Wrap(err, path)
	}
	if data, err := cache.Map(path + ".index"); err == nil {
		if s := useIndex(r, blob, data, base); s != nil {
			return s, nil
		}
	}
	data, err := makeIndex(r, blob, base)
	if err != nil {
		return nil, errors.Wrap(err, path)
	}
	if err := cache.Write(path+".index", data); err != nil {
		return nil, err
	}
	return useIndex(r, blob, data, base), nil
}

// Parse reads BTF in memory.
func Parse(blob []byte) (*Spec, error) {
	r, err := parseRaw(blob)
	if err != nil {
		return nil, err
	}
	data, err := makeIndex(r, blob, nil)
	if err != nil {
		return nil, err
	}
	return useIndex(r, blob, data, nil), nil
}

// count is the number of its own types.
func (s *Spec) count() ID { return ID(len(s.offsets) / 4) }

// textBase is the number of bytes of strings before r's own.
func textBase(base *Spec) uint32 {
	if base == nil {
		return 0
	}
	return textBase(base.base) + uint32(len(base.raw.strings))
}

// text returns the string at offset, "" if there is none.
func (s *Spec) text(offset uint32) string {
	if before := textBase(s.base); offset >= before {
		return s.raw.text(offset - before)
	}
	return s.base.text(offset)
}

// sum is a checksum of a blob's first and last parts, which differ between kernels.
func sum(blob []byte) uint32 {
	n := min(len(blob), 1<<14)
	return crc32.Update(crc32.ChecksumIEEE(blob[:n]), crc32.IEEETable, blob[len(blob)-n:])
}

// useIndex returns nil if data is no index of blob.
func useIndex(r *raw, blob, data []byte, base *Spec) *Spec {
	if len(data) < headerSize || string(data[:8]) != indexMagic ||
		le.Uint32(data[8:]) != uint32(len(blob)) || le.Uint32(data[12:]) != sum(blob) {
		return nil
	}
	first := ID(1)
	if base != nil {
		first = base.first + base.count()
	}
	types, named := uint64(le.Uint32(data[16:])), uint64(le.Uint32(data[20:]))
	if uint64(len(data)) != headerSize+4*(types+named) {
		return nil
	}
	data = data[headerSize:]
	return &Spec{raw: r, offsets: data[:4*types], named: data[4*types:], first: first, base: base}
}

// makeIndex walks over all types.
func makeIndex(r *raw, blob []byte, base *Spec) ([]byte, error) {
	before := textBase(base)
	text := func(offset uint32) string {
		if offset >= before {
			return r.text(offset - before)
		}
		return base.text(offset)
	}
	var offsets, named []uint32
	var names []uint32 // string offsets, by type
	for at := 0; at < len(r.types); {
		rec, next, err := r.record(at)
		if err != nil {
			return nil, err
		}
		if uint64(rec.name) >= uint64(before)+uint64(len(r.strings)) {
			return nil, errBTF
		}
		offsets = append(offsets, uint32(at))
		names = append(names, rec.name)
		if rec.name != 0 {
			named = append(named, uint32(len(offsets)))
		}
		at = next
	}
	name := func(id uint32) string { return text(names[id-1]) }
	slices.SortStableFunc(named, func(a, b uint32) int { return strings.Compare(name(a), name(b)) })
	out := make([]byte, 0, headerSize+4*(len(offsets)+len(named)))
	out = append(out, indexMagic...)
	for _, n := range []int{len(blob), int(sum(blob)), len(offsets), len(named)} {
		out = le.AppendUint32(out, uint32(n))
	}
	for _, list := range [][]uint32{offsets, named} {
		for _, n := range list {
			out = le.AppendUint32(out, n)
		}
	}
	return out, nil
}

// record returns the type's record; one of kind Unknown if it can't be read.
func (s *Spec) record(id ID) record {
	if id == 0 {
		return record{}
	}
	if id < s.first {
		return s.base.record(id)
	}
	if id-s.first >= s.count() {
		return record{info: uint32(0x1f) << 24}
	}
	rec, _, err := s.raw.record(int(le.Uint32(s.offsets[4*(id-s.first):])))
	if err != nil {
		return record{info: uint32(0x1f) << 24}
	}
	return rec
}

// Find returns the types of that name and of one of the kinds, by number.
func (s *Spec) Find(name string, kinds ...Kind) []ID {
	if name == "" {
		return nil
	}
	id := func(i int) ID { return s.first - 1 + ID(le.Uint32(s.named[4*i:])) }
	n := len(s.named) / 4
	var list []ID
	if s.base != nil {
		list = s.base.Find(name, kinds...)
	}
	for i := sort.Search(n, func(i int) bool { return s.Name(id(i)) >= name }); i < n && s.Name(id(i)) == name; i++ {
		if slices.Contains(kinds, s.Kind(id(i))) {
			list = append(list, id(i))
		}
	}
	return list
}
