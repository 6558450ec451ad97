// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// maxSection bounds what a section may decompress to.
const maxSection = 2 << 30

// largeSection is the size from which on decompressed sections are cached: zlib yields
// some 100 MB a second.
const largeSection = 256 << 10

// decompressed returns the content of a section. A large one is decompressed once,
// and then mapped from the cache, which has it for as long as the file is older.
func (f *File) decompressed(s *elf.Section, p []byte) ([]byte, error) {
	if f.cache == "" || f.BuildID == "" || s.Flags&elf.SHF_COMPRESSED == 0 || s.FileSize < largeSection {
		return decompress(s, p)
	}
	path := filepath.Join(f.cache, f.BuildID, "section"+filepath.Base(s.Name))
	if kept, err := os.Stat(path); err == nil && uint64(kept.Size()) == s.Size {
		if stat, err := os.Stat(f.Path); err == nil && kept.ModTime().After(stat.ModTime()) {
			return cache.Map(path)
		}
	}
	p, err := decompress(s, p)
	if err == nil {
		_ = cache.Write(path, p) // an error only costs time
	}
	return p, err
}

// decompress returns the content of a section, compressed (SHF_COMPRESSED or, in
// older files, .zdebug_*) or not.
func decompress(s *elf.Section, p []byte) ([]byte, error) {
	if strings.HasPrefix(s.Name, ".zdebug_") {
		if len(p) < 12 || string(p[:4]) != "ZLIB" {
			return nil, errDWARF
		}
		return inflate(elf.COMPRESS_ZLIB, p[12:], binary.BigEndian.Uint64(p[4:]))
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 {
		return p, nil
	}
	b := buf{data: p}
	kind := elf.CompressionType(b.u32())
	b.u32()
	size := b.u64()
	b.u64()
	if b.bad {
		return nil, errDWARF
	}
	return inflate(kind, p[b.at:], size)
}

// inflate decompresses p, which is to yield size bytes. Memory is
// allocated as data are decompressed, not by the claimed size.
func inflate(kind elf.CompressionType, p []byte, size uint64) ([]byte, error) {
	if size > maxSection {
		return nil, errors.Errorf("compressed section of %d bytes", size)
	}
	var r io.Reader
	switch kind {
	case elf.COMPRESS_ZLIB:
		z, err := zlib.NewReader(bytes.NewReader(p))
		if err != nil {
			return nil, err
		}
		r = z
	case elf.COMPRESS_ZSTD:
		z, err := zstd.NewReader(bytes.NewReader(p), zstd.WithDecoderMaxMemory(maxSection))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	default:
		return nil, errors.Errorf("compressed in a way that is not known (%d)", kind)
	}
	var out bytes.Buffer
	out.Grow(int(min(size, uint64(len(p))*8)))
	n, err := io.Copy(&out, io.LimitReader(r, int64(size)+1))
	if err != nil {
		return nil, err
	}
	if uint64(n) != size {
		return nil, errors.Errorf("compressed section is not of the %d bytes that it says", size)
	}
	return out.Bytes(), nil
}
