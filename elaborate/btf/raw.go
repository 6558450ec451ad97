// SPDX-License-Identifier: GPL-2.0-or-later

package btf

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/pkg/errors"
)

// An ID is a type's number. 0 is void.
type ID uint32

// A Kind is the kind of a type. The numbers are those of the format.
type Kind uint8

// The kinds of types.
const (
	Void Kind = iota
	Int
	Pointer
	Array
	Struct
	Union
	Enum
	Forward
	Typedef
	Volatile
	Const
	Restrict
	Function
	Prototype
	Variable
	DataSection
	Float
	DeclTag
	TypeTag
	Enum64
	lastKind = Enum64

	Unknown Kind = 0xff // a type that can't be read
)

var le = binary.LittleEndian

// A raw is a BTF blob that has been cut into its two parts.
type raw struct {
	types   []byte
	strings []byte
}

var errBTF = errors.New("BTF is damaged")

const magic = 0xeb9f

func parseRaw(blob []byte) (*raw, error) {
	if len(blob) < 24 || le.Uint16(blob) != magic || blob[2] != 1 {
		return nil, errors.New("no BTF, or of a version that is not known")
	}
	header := uint64(le.Uint32(blob[4:]))
	part := func(offset, length uint32) []byte {
		start := header + uint64(offset)
		if start > uint64(len(blob)) || uint64(length) > uint64(len(blob))-start {
			return nil
		}
		return blob[start : start+uint64(length)]
	}
	r := &raw{
		types:   part(le.Uint32(blob[8:]), le.Uint32(blob[12:])),
		strings: part(le.Uint32(blob[16:]), le.Uint32(blob[20:])),
	}
	if header < 24 || r.types == nil || len(r.strings) == 0 || r.strings[len(r.strings)-1] != 0 {
		return nil, errBTF
	}
	return r, nil
}

// A record is a type as BTF encodes it: three words and, by its kind, more behind them.
type record struct {
	name, info, sizeOrType uint32
	rest                   []byte
}

func (r *record) kind() Kind {
	if k := Kind(r.info >> 24 & 0x1f); k <= lastKind {
		return k
	}
	return Unknown
}

func (r *record) vlen() int  { return int(r.info & 0xffff) }
func (r *record) flag() bool { return r.info>>31 != 0 }

// record decodes the type at offset, and returns the offset behind it.
func (r *raw) record(offset int) (rec record, next int, err error) {
	if offset < 0 || offset > len(r.types)-12 {
		return rec, 0, errBTF
	}
	p := r.types[offset:]
	rec = record{name: le.Uint32(p), info: le.Uint32(p[4:]), sizeOrType: le.Uint32(p[8:])}
	n := 0
	switch rec.kind() {
	case Int, Variable, DeclTag:
		n = 4
	case Array:
		n = 12
	case Struct, Union, DataSection, Enum64:
		n = 12 * rec.vlen()
	case Enum, Prototype:
		n = 8 * rec.vlen()
	case Unknown, Void:
		return rec, 0, errBTF
	}
	if n > len(p)-12 {
		return rec, 0, errBTF
	}
	rec.rest = p[12 : 12+n]
	return rec, offset + 12 + n, nil
}

// text returns the string at offset, "" if there is none.
func (r *raw) text(offset uint32) string {
	if uint64(offset) >= uint64(len(r.strings)) {
		return ""
	}
	p := r.strings[offset:]
	n := bytes.IndexByte(p, 0)
	if n <= 0 {
		return ""
	}
	return unsafe.String(&p[0], n) // the blob never changes
}
