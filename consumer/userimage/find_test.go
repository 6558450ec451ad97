// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"debug/elf"
	"math/rand/v2"
	"testing"
)

// Symbols that are searched linearly are the same as those in the sorted table: for symbols that nest,
// overlap, share an address, and have no size.
func TestScan(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		x := &symbolIndex{ends: []uint64{30, 80, 120}, strings: [][]byte{[]byte("__a\x00_b\x00c\x00d\x00")}}
		for range r.IntN(20) {
			s := symbolEntry{addr: 1 + r.Uint64N(100), name: uint32(r.IntN(11)),
				info: elf.ST_INFO(elf.SymBind(r.IntN(3)), elf.SymType(r.IntN(3)))}
			if r.IntN(2) == 0 {
				s.size = r.Uint64N(30)
			}
			x.named = append(x.named, s)
		}
		agree(t, x, func() uint64 { return r.Uint64N(140) }, 140)
	}
}

// The same for a library.
func TestScanLibrary(t *testing.T) {
	x := openImage(t, "/lib/x86_64-linux-gnu/libc.so.6").index()
	end := x.ends[len(x.ends)-1]
	agree(t, x, func() uint64 { return rand.Uint64N(end) }, 200)
}

func agree(t *testing.T, x *symbolIndex, random func() uint64, n int) {
	t.Helper()
	type found struct {
		s  symbolEntry
		ok bool
	}
	addrs := make([]uint64, n)
	scanned := make([]found, n)
	for i := range addrs {
		addrs[i] = random()
		scanned[i].s, scanned[i].ok = x.scan(addrs[i])
	}
	for i, addr := range addrs {
		var sorted found
		if sorted.s, sorted.ok = before(x.sorted(), addr); sorted != scanned[i] {
			t.Fatalf("%#x: scanned %+v, sorted %+v", addr, scanned[i], sorted)
		}
	}
}
