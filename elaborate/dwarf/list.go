// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

// The kinds of entries of DWARF 5's range lists (DW_RLE_*).
const (
	endOfList = iota
	baseAddressx
	startxEndx
	startxLength
	offsetPair
	baseAddress
	startEnd
	startLength
)

// A listReader reads a list of .debug_rnglists or .debug_loclists.
type listReader struct {
	u    *unit
	b    buf
	base uint64 // that offset pairs are relative to
}

// entry reads the rest of an entry, behind its kind. ok is false if it has no range, but sets the base
// address. An unknown kind makes the data bad.
func (l *listReader) entry(kind uint8) (r Range, ok bool) {
	size := int(l.u.addrSize)
	switch kind {
	case baseAddressx:
		l.base = l.u.indexedAddr(l.b.uleb())
		return r, false
	case baseAddress:
		l.base = l.b.uint(size)
		return r, false
	case startxEndx:
		r.Low = l.u.indexedAddr(l.b.uleb())
		r.High = l.u.indexedAddr(l.b.uleb())
	case startxLength:
		r.Low = l.u.indexedAddr(l.b.uleb())
		r.High = r.Low + l.b.uleb()
	case offsetPair:
		r.Low = l.base + l.b.uleb()
		r.High = l.base + l.b.uleb()
	case startEnd:
		r.Low = l.b.uint(size)
		r.High = l.b.uint(size)
	case startLength:
		r.Low = l.b.uint(size)
		r.High = r.Low + l.b.uleb()
	default:
		l.b.bad = true
	}
	return r, !l.b.bad
}
