// SPDX-License-Identifier: GPL-2.0-or-later

package buildid

import (
	"debug/elf"
	"io"

	"github.com/pkg/errors"
)

// maxNotes bounds the notes that are read of a file, in bytes.
const maxNotes = 1 << 20

// Of returns the build-id of an ELF file in hex, by its program headers or, as Go's linker writes them,
// its sections; "" if it has none.
func Of(f *elf.File) (string, error) {
	var parts []io.Reader
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			parts = append(parts, p.Open())
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE {
			parts = append(parts, s.Open())
		}
	}
	for _, part := range parts {
		notes, err := io.ReadAll(io.LimitReader(part, maxNotes))
		if err != nil {
			return "", errors.WithStack(err)
		}
		if id := Find(notes); id != "" {
			return id, nil
		}
	}
	return "", nil
}
