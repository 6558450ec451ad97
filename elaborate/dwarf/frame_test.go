// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/pkg/errors"
)

// ehFrameFile opens the test program, which has only .eh_frame.
func ehFrameFile(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.ehFrame) == 0 || len(f.frame) > 0 {
		t.Fatalf(".eh_frame of %d bytes, .debug_frame of %d", len(f.ehFrame), len(f.frame))
	}
	return f
}

// TestEhFrame: .eh_frame is parsed once, and lookups find the same as if it was parsed for each, in any
// order.
func TestEhFrame(t *testing.T) {
	path := compiled(t, "-fasynchronous-unwind-tables")
	kept := ehFrameFile(t, path)
	text := kept.elf.Section(".text")
	rules := 0
	for pc := text.Addr + text.Size + 64; pc > text.Addr-64; pc-- {
		got, gotErr := kept.cfaRule(pc)
		want, wantErr := ehFrameFile(t, path).cfaRule(pc)
		if !reflect.DeepEqual(got, want) || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%#x: %+v %v, want %+v %v", pc, got, gotErr, want, wantErr)
		}
		if gotErr == nil {
			rules++
		}
	}
	if rules == 0 {
		t.Error("no address has a rule")
	}
	entries := &kept.ehEntries[0]
	if kept.cfaRule(text.Addr); entries != &kept.ehEntries[0] {
		t.Error(".eh_frame has been parsed again")
	}
}

// TestDamagedEhFrame: damage is reported by later lookups as well as by the one that parses the
// section.
func TestDamagedEhFrame(t *testing.T) {
	whole := ehFrameFile(t, compiled(t, "-fasynchronous-unwind-tables"))
	damaged := 0
	for i := range whole.ehFrame {
		f := &File{ehFrame: bytes.Clone(whole.ehFrame), ehFrameAddr: whole.ehFrameAddr}
		f.ehFrame[i] ^= 0xff
		_, first := f.cfaRule(0)
		_, second := f.cfaRule(0)
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Errorf("byte %d: first %v, then %v", i, first, second)
		}
		if errors.Is(first, errDWARF) {
			damaged++
		}
	}
	if damaged == 0 {
		t.Error("no byte matters to the parser")
	}
}

func BenchmarkEhFrame(b *testing.B) {
	f := ehFrameFile(b, compiled(b, "-fasynchronous-unwind-tables"))
	pc := f.elf.Section(".text").Addr + 16
	b.ReportAllocs()
	for b.Loop() {
		f.cfaRule(pc)
	}
}
