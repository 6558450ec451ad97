// SPDX-License-Identifier: GPL-2.0-or-later

// Package buildid finds the GNU build-id, which a kernel, a module or a program
// shares with its debuginfo, in ELF notes: of a file (file.go), or of the running
// kernel (/sys/kernel/notes).
package buildid

import (
	"encoding/binary"
	"encoding/hex"
)

const (
	ntGNUBuildID = 3
	headerSize   = 12 // of a note: the lengths of name and descriptor, and its type
	maxSize      = 64 // of a build-id; ld makes 16 or 20 bytes
)

// Find returns the build-id in hex, "" if the notes have none.
func Find(notes []byte) string {
	for len(notes) >= headerSize {
		nameSize, size := binary.LittleEndian.Uint32(notes), binary.LittleEndian.Uint32(notes[4:])
		kind := binary.LittleEndian.Uint32(notes[8:])
		desc := headerSize + padded(nameSize)
		end := desc + padded(size)
		if end > uint64(len(notes)) {
			return ""
		}
		if kind == ntGNUBuildID && string(notes[headerSize:headerSize+nameSize]) == "GNU\x00" && size > 0 && size <= maxSize {
			return hex.EncodeToString(notes[desc : desc+uint64(size)])
		}
		notes = notes[end:]
	}
	return ""
}

// padded returns the size, with padding, of a name or descriptor of n bytes in a note.
func padded(n uint32) uint64 { return (uint64(n) + 3) &^ 3 }
