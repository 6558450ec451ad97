// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/pkg/errors"
)

var le = binary.LittleEndian

// errDWARF is the error for truncated or malformed data.
var errDWARF = errors.New("DWARF is damaged")

// A buf is a part of a section that is read from front to back. A read beyond
// its end yields zeros and sets bad.
type buf struct {
	data []byte
	at   int
	bad  bool
}

// bufAt returns a buf over a section from offset on.
func bufAt(section []byte, offset uint64) buf {
	if offset > uint64(len(section)) {
		return buf{bad: true}
	}
	return buf{data: section, at: int(offset)}
}

func (b *buf) left() int { return len(b.data) - b.at }

// take returns the next n bytes, nil if they are not there.
func (b *buf) take(n uint64) []byte {
	if b.bad || n > uint64(b.left()) {
		b.bad = true
		b.at = len(b.data)
		return nil
	}
	p := b.data[b.at : b.at+int(n)]
	b.at += int(n)
	return p
}

func (b *buf) u8() uint8 {
	if p := b.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (b *buf) u16() uint16 {
	if p := b.take(2); p != nil {
		return le.Uint16(p)
	}
	return 0
}

func (b *buf) u32() uint32 {
	if p := b.take(4); p != nil {
		return le.Uint32(p)
	}
	return 0
}

func (b *buf) u64() uint64 {
	if p := b.take(8); p != nil {
		return le.Uint64(p)
	}
	return 0
}

// uint reads a number of size bytes.
func (b *buf) uint(size int) uint64 {
	switch size {
	case 1:
		return uint64(b.u8())
	case 2:
		return uint64(b.u16())
	case 3:
		if p := b.take(3); p != nil {
			return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16
		}
	case 4:
		return uint64(b.u32())
	case 8:
		return b.u64()
	default:
		b.bad = true
	}
	return 0
}

// offset reads a section offset: 8 bytes in 64-bit DWARF, else 4.
func (b *buf) offset(dwarf64 bool) uint64 {
	if dwarf64 {
		return b.u64()
	}
	return uint64(b.u32())
}

func (b *buf) uleb() uint64 {
	var n uint64
	for shift := uint(0); ; shift += 7 {
		c := b.u8()
		if shift < 64 {
			n |= uint64(c&0x7f) << shift
		}
		if c&0x80 == 0 {
			return n
		}
	}
}

func (b *buf) sleb() int64 {
	var n int64
	shift := uint(0)
	for {
		c := b.u8()
		if shift < 64 {
			n |= int64(c&0x7f) << shift
		}
		shift += 7
		if c&0x80 == 0 {
			if c&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return n
		}
	}
}

// text reads a string that ends in a zero.
func (b *buf) text() string {
	if b.bad {
		return ""
	}
	n := bytes.IndexByte(b.data[b.at:], 0)
	if n < 0 {
		b.bad = true
		b.at = len(b.data)
		return ""
	}
	s := str(b.data[b.at : b.at+n])
	b.at += n + 1
	return s
}

// textAt returns the string at offset in a section of strings, "" if there is none.
func textAt(section []byte, offset uint64) string {
	b := bufAt(section, offset)
	return b.text()
}

// str returns p as a string that shares its memory: sections do not change for the
// life of the process.
func str(p []byte) string {
	if len(p) == 0 {
		return ""
	}
	return unsafe.String(&p[0], len(p))
}

// unit reads an initial length, and returns the bytes that it covers.
func (b *buf) unit() (rest buf, dwarf64 bool) {
	n := uint64(b.u32())
	if n == 0xffffffff {
		dwarf64 = true
		n = b.u64()
	}
	start := b.at
	if b.take(n) == nil && n > 0 || b.bad {
		b.bad = true
		return buf{bad: true}, dwarf64
	}
	return buf{data: b.data[:b.at], at: start}, dwarf64
}
