// SPDX-License-Identifier: GPL-2.0-or-later

package buildid

import (
	"debug/elf"
	"io"

	"github.com/pkg/errors"
)

// maxNotes bounds the notes that are read of a file, in bytes.
const maxNotes = 1 << 20

// Of returns the build-id of an ELF file in hex, by its program headers; "" if it has none.
func Of(r io.ReaderAt) (string, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return "", errors.WithStack(err)
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, err := io.ReadAll(io.LimitReader(p.Open(), maxNotes))
		if err != nil {
			return "", errors.WithStack(err)
		}
		if id := Find(notes); id != "" {
			return id, nil
		}
	}
	return "", nil
}
