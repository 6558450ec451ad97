// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"encoding/binary"
	"testing"

	"gostap/elaborate/internal/testkernel"
)

// TestReserved holds what tables of the kernel say of its code against the
// instructions that are there.
func TestReserved(t *testing.T) {
	first := [][][]byte{
		alternative:  {{}},
		staticBranch: {{0xe9}, {0xeb}, {0x0f, 0x1f}, {0x66, 0x90}, {0x66, 0x66}}, // jumps and nops of two and five bytes
		staticCall:   {{0xe8}, {0xe9}, {0x0f}, {0x2e}},                           // calls, jumps, those with a condition and padded ones
		bug:          {{0x0f, 0x0b}},
	}
	for _, release := range testkernel.Releases(t) {
		k, err := Open(release)
		if err != nil {
			t.Fatal(err)
		}
		code, err := k.Code(map[bool]int64{true: 12, false: 14}[release[:4] == "6.1."])
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int, len(first))
		for r := code.reserved; len(r) > 0; r = r[reservedSize:] {
			addr := code.start + uint64(binary.LittleEndian.Uint32(r))
			why := binary.LittleEndian.Uint16(r[6:])
			counts[why]++
			at, found := code.From(addr), false
			for _, want := range first[why] {
				found = found || bytes.HasPrefix(at, want)
			}
			if !found {
				t.Errorf("%s: %#x is no %s: % x", release, addr, reservedFor[why], at[:8])
			}
			if code.Reserved(addr) == "" {
				t.Errorf("%s: %#x is not reserved", release, addr)
			}
		}
		for why, n := range counts {
			if n < 500 {
				t.Errorf("%s: only %d times %s", release, n, reservedFor[why])
			}
		}
		if why := code.Reserved(code.start); why != "" {
			t.Errorf("%s: _stext is in %s", release, why)
		}
	}
}
