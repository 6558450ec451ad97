// SPDX-License-Identifier: GPL-2.0-or-later

package ldso

import (
	"bytes"
	"encoding/binary"
	"os"
)

// readCache returns the paths of libraries by their names, from ldconfig's cache.
func readCache() map[string]string {
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		return nil
	}
	return parseCache(data)
}

// parseCache reads /etc/ld.so.cache in its newer format (glibc's
// sysdeps/generic/dl-cache.h): a header, entries, and strings, to which entries refer
// from the header's start.
func parseCache(data []byte) map[string]string {
	const (
		magic      = "glibc-ld.so.cache1.1"
		headerSize = 48
		entrySize  = 24
		x86_64     = 0x0303 // FLAG_X8664_LIB64 | FLAG_ELF_LIBC6
	)
	start := bytes.Index(data, []byte(magic))
	if start < 0 || len(data)-start < headerSize {
		return nil
	}
	data = data[start:]
	le := binary.LittleEndian
	text := func(offset uint32) string {
		if uint64(offset) >= uint64(len(data)) {
			return ""
		}
		return cut(data[offset:])
	}
	found := map[string]string{}
	count := min(uint64(le.Uint32(data[len(magic):])), uint64(len(data)-headerSize)/entrySize)
	for i := range count {
		e := data[headerSize+i*entrySize:]
		hardware := le.Uint64(e[16:]) // the hardware capabilities that the library requires
		name := text(le.Uint32(e[4:]))
		if le.Uint32(e) == x86_64 && hardware == 0 && found[name] == "" {
			found[name] = text(le.Uint32(e[8:]))
		}
	}
	return found
}

// cut returns the text that a NUL ends.
func cut(p []byte) string {
	text, _, _ := bytes.Cut(p, []byte{0})
	return string(text)
}
