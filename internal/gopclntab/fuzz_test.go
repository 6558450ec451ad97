// SPDX-License-Identifier: GPL-2.0-or-later

package gopclntab

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"testing"
)

// FuzzRead changes a real table: each eight bytes of the input are a place in it and what stands there instead.
func FuzzRead(f *testing.F) {
	whole, err := os.ReadFile(build(f, "-ldflags=-s -w"))
	if err != nil {
		f.Fatal(err)
	}
	e, err := elf.NewFile(bytes.NewReader(whole))
	if err != nil {
		f.Fatal(err)
	}
	s := section(e)
	f.Add([]byte{})
	f.Add([]byte{8, 0, 0, 0, 255, 255, 255, 127, 16, 0, 0, 0, 0, 255, 0, 0})
	data := bytes.Clone(whole)
	f.Fuzz(func(t *testing.T, changes []byte) {
		copy(data, whole)
		for ; len(changes) >= 8; changes = changes[8:] {
			at := uint64(binary.LittleEndian.Uint32(changes)) % (s.Size - 4)
			copy(data[s.Offset+at:], changes[4:8])
		}
		e, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		table, err := Read(e)
		if err != nil {
			return
		}
		for i := 0; i < len(table.Funcs); i += 50 {
			table.Line(table.Funcs[i].Addr)
		}
		table.Frames(func(*Frame) error { return nil })
	})
}
