// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"gostap/elaborate/internal/testkernel"
)

// firstBytes are the possible first bytes of instructions at reserved places.
var firstBytes = [][][]byte{
	alternative:  {{}},
	staticBranch: {{0xe9}, {0xeb}, {0x0f, 0x1f}, {0x66, 0x90}, {0x66, 0x66}}, // jumps and nops of two and five bytes
	staticCall:   {{0xe8}, {0xe9}, {0x0f}, {0x2e}},                           // calls, jumps, conditional and padded ones
	bug:          {{0x0f, 0x0b}},
}

// checkReserved compares the tables of reserved code with the instructions, and returns the number of
// places for each reason.
func checkReserved(t *testing.T, name string, code *Code) []int {
	counts := make([]int, len(firstBytes))
	for r := code.reserved; len(r) > 0; r = r[reservedSize:] {
		addr := code.start + uint64(binary.LittleEndian.Uint32(r))
		length, why := binary.LittleEndian.Uint16(r[4:]), binary.LittleEndian.Uint16(r[6:])
		counts[why]++
		at, found := code.From(addr), false
		for _, want := range firstBytes[why] {
			found = found || bytes.HasPrefix(at, want)
		}
		if !found {
			t.Errorf("%s: %#x is no %s: % x", name, addr, reservedFor[why], at[:min(8, len(at))])
		}
		if why == alternative {
			addr++
		}
		if length > 1 && code.Reserved(addr) == "" {
			t.Errorf("%s: %#x is not reserved", name, addr)
		}
		if why == staticBranch && (length == 2) != isShort(at) {
			t.Errorf("%s: %#x is a static branch of %d bytes: % x", name, addr, length, at[:min(8, len(at))])
		}
	}
	return counts
}

func TestReserved(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		k, err := Open(release)
		if err != nil {
			t.Fatal(err)
		}
		code, err := k.Code(altInstrSize(release))
		if err != nil {
			t.Fatal(err)
		}
		for why, n := range checkReserved(t, release, code) {
			if n < 500 {
				t.Errorf("%s: only %d times %s", release, n, reservedFor[why])
			}
		}
		if why := code.Reserved(code.start); why != "" {
			t.Errorf("%s: _stext is in %s", release, why)
		}
		for _, c := range []struct {
			name string
			want Refusal
		}{{"update_prog_stats", AtBranch}, {"vfs_read", Probeable}} {
			if list := k.Lookup(c.name); len(list) != 1 || list[0].Refusal != c.want {
				t.Errorf("%s: %s: %+v", release, c.name, list)
			}
		}
	}
}

// altInstrSize is the size of struct alt_instr.
func altInstrSize(release string) int64 {
	if strings.HasPrefix(release, "6.1.") {
		return 12
	}
	return 14
}

func TestModuleReserved(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, release := range testkernel.Releases(t) {
		m, err := OpenModule(pathOf(t, release, "kvm"))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from the cache
			sections, err := m.Code(altInstrSize(release))
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]int, len(firstBytes))
			for name, code := range sections {
				for why, n := range checkReserved(t, release+" kvm "+name, code) {
					counts[why] += n
				}
			}
			for why, n := range counts {
				if n < 50 {
					t.Errorf("%s: only %d times %s", release, n, reservedFor[why])
				}
			}
			f := m.Lookup("kvm_vcpu_ioctl")[0]
			if code := sections[".text"]; code == nil || code.Reserved(f.Addr) != "" || !bytes.HasPrefix(bytes.TrimPrefix(code.From(f.Addr), []byte{0xf3, 0x0f, 0x1e, 0xfa}), []byte{0xe8, 0, 0, 0, 0}) {
				t.Errorf("%s: kvm_vcpu_ioctl does not begin with ftrace's call", release)
			}
		}
	}
}

func TestDamagedCode(t *testing.T) {
	piece := &codePiece{name: ".text", bytes: make([]byte, 100)}
	piece.reserve(90, 5, staticBranch)
	piece.reserve(200, 5, staticBranch)
	data := encodeCode([]*codePiece{piece, {name: ".text.unlikely", bytes: make([]byte, 10)}})
	for n := range data {
		code, err := openCode(data[:n], 0)
		if (err == nil) != (n == 0 || n == 12+5+8+100) {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
		for _, c := range code {
			c.Reserved(92)
		}
	}
	code, err := openCode(data, 0)
	if err != nil || len(code) != 2 || code[".text"].Reserved(94) == "" || code[".text"].Reserved(95) != "" {
		t.Errorf("%v, %v", code, err)
	}
}
