// SPDX-License-Identifier: GPL-2.0-or-later

package kallsyms

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

const list = `0000000000000000 A fixed_percpu_data
ffffffff81000000 T _stext
ffffffff81234560 t a.b[1]
short
ffffffffc0002000 t ext4_file_read_iter	[ext4]
`

func TestScan(t *testing.T) {
	var got []string
	err := Scan(iotest.OneByteReader(strings.NewReader(list+"ffffffffc0004000 t cut off")), func(s Symbol) bool {
		name, module := s.Name()
		got = append(got, fmt.Sprintf("%x %c %s of %q", s.Addr(), s.Kind(), name, module))
		return true
	})
	want := []string{`0 A fixed_percpu_data of ""`, `ffffffff81000000 T _stext of ""`, `ffffffff81234560 t a.b[1] of ""`,
		`ffffffffc0002000 t ext4_file_read_iter of "ext4"`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestScanStops: reading stops behind the symbol.
func TestScanStops(t *testing.T) {
	r := strings.NewReader(list)
	err := Scan(iotest.OneByteReader(r), func(s Symbol) bool { return !strings.HasSuffix(string(s), " _stext") })
	_, rest, _ := strings.Cut(list, "_stext\n")
	if err != nil || r.Len() != len(rest) {
		t.Errorf("%d bytes left of %d, %v", r.Len(), len(rest), err)
	}
}

func TestScanErrors(t *testing.T) {
	all := func(Symbol) bool { return true }
	if err := Scan(iotest.ErrReader(fmt.Errorf("broken")), all); err == nil || err.Error() != "broken" {
		t.Error(err)
	}
	if err := Scan(strings.NewReader(strings.Repeat("x", 1<<17)), all); err == nil || !strings.Contains(err.Error(), "a line of 64 KiB") {
		t.Error(err)
	}
}

func TestAddr(t *testing.T) {
	for digits, want := range map[string]uint64{"ffffffff81000000": 0xffffffff81000000, "(____ptrval____)": 0, "00000000deadbeef": 0xdeadbeef} {
		if got := Symbol(digits + " T name").Addr(); got != want {
			t.Errorf("%s: %#x", digits, got)
		}
	}
}
