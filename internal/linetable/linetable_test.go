// SPDX-License-Identifier: GPL-2.0-or-later

package linetable

import (
	"fmt"
	"testing"
)

func built() *Table {
	var b Builder
	// The second piece of code is added first, and begins at the end of the first.
	b.Add(0x40, "b.c", 7)
	b.Add(0x44, "b.c", 7)
	b.Add(0x48, "a.h", 1)
	b.Add(0x48, "b.c", 8)
	b.Add(0x50, "", 0)
	b.Add(0x10, "a.c", 3)
	b.Add(0x18, "a.h", 1)
	b.Add(0x40, "", 0)
	return b.Table()
}

func TestFind(t *testing.T) {
	table := built()
	data := table.Encode()
	decoded, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Table{table, decoded} {
		for offset, want := range map[uint32]string{0: " 0", 0xf: " 0", 0x10: "a.c 3", 0x17: "a.c 3", 0x18: "a.h 1", 0x3f: "a.h 1",
			0x40: "b.c 7", 0x47: "b.c 7", 0x48: "b.c 8", 0x4f: "b.c 8", 0x50: " 0", 0xffffffff: " 0"} {
			file, line, _ := x.Find(offset)
			if got := fmt.Sprint(file, " ", line); got != want {
				t.Errorf("%#x is of %q, want %q", offset, got, want)
			}
		}
		if len(x.Rows) != 5 {
			t.Errorf("%d rows, want one for each change: %v", len(x.Rows), x.Rows)
		}
	}
}

// A file that is truncated, or has wrong counts, is an error; invalid rows have no line.
func TestDamaged(t *testing.T) {
	data := built().Encode()
	for n := range data {
		if _, err := Decode(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a table", n, len(data))
		}
	}
	for at := 8; at < 24; at++ {
		bad := append([]byte(nil), data...)
		bad[at] ^= 0xff
		if _, err := Decode(bad); err == nil {
			t.Errorf("with another byte %d it is taken for a table", at)
		}
	}
	table := &Table{Rows: []Row{{0, 100, 1}}, Names: []byte("a\x00")}
	if file, line, ok := table.Find(5); ok {
		t.Errorf("a file that is not there: %s:%d", file, line)
	}
}
