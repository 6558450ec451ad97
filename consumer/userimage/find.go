// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"math"
	"sort"
)

// maxScans is the number of look-ups by linear search before a file's symbols are sorted. Sorting takes some ten times as
// long, and more memory, and a script that prints few stacks looks up few addresses of each file.
const maxScans = 8

// find returns the symbol that covers addr, as linked; false if none does.
func (x *symbolIndex) find(addr uint64) (symbolEntry, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var s symbolEntry
	var ok bool
	if x.settled || x.scans == maxScans {
		s, ok = before(x.sorted(), addr)
	} else {
		x.scans++
		s, ok = x.scan(addr)
	}
	return s, ok && addr-s.addr < s.size
}

// all returns the symbols by ascending address.
func (x *symbolIndex) all() []symbolEntry {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sorted()
}

func (x *symbolIndex) sorted() []symbolEntry {
	if !x.settled {
		var list []symbolEntry
		x.each(func(s symbolEntry) { list = append(list, s) })
		x.entries, x.settled = x.settle(list), true
		x.tables, x.named = nil, nil
	}
	return x.entries
}

// before returns the last of sorted symbols up to addr.
func before(entries []symbolEntry, addr uint64) (symbolEntry, bool) {
	i := sort.Search(len(entries), func(i int) bool { return entries[i].addr > addr })
	if i == 0 {
		return symbolEntry{}, false
	}
	return entries[i-1], true
}

// scan is before without sorting: it settles only the symbols near addr, with one symbol in place of all before them, which
// extends as far as these, and one in place of those behind.
func (x *symbolIndex) scan(addr uint64) (symbolEntry, bool) {
	var sized, unsized, reach uint64 // addresses of the last symbols with and without a size up to addr, and the furthest end of the former
	next := uint64(math.MaxUint64)
	x.each(func(s symbolEntry) {
		switch {
		case s.addr > addr:
			next = min(next, s.addr)
		case s.size == 0:
			unsized = max(unsized, s.addr)
		default:
			sized = max(sized, s.addr)
			reach = max(reach, s.addr+s.size)
		}
	})
	at := sized
	if unsized > sized && unsized >= reach { // else it is a label in a function
		at = unsized
	}
	if at == 0 {
		return symbolEntry{}, false
	}
	list := []symbolEntry{{}, {addr: next, size: 1}}
	x.each(func(s symbolEntry) {
		if s.addr == at {
			list = append(list, s)
		} else if s.addr < at {
			list[0].size = max(list[0].size, s.addr+s.size)
		}
	})
	return before(x.settle(list), addr)
}
