// SPDX-License-Identifier: GPL-2.0-or-later

// Package bundle reads and writes the files that gostap bundle makes: gostap's own program, which is
// static, followed by a header and a ZIP archive with one script's modules for some kernels.
//
// \terr := bundle.Write(w, program, index, modules)
// \tb, err := bundle.Self() // in the program that is a bundle
// \tm, err := b.Choose(release, buildID)
package bundle

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"

	"github.com/pkg/errors"
)

// magic is the beginning of the header behind the program.
const magic = "\x00gostap bundle 1\n"

// A header follows the program, and is followed by the archive.
type header struct {
	Magic   [len(magic)]byte
	Size    int64    // of the archive
	Archive [32]byte // SHA-256 of the archive
	Program [32]byte // SHA-256 of everything before the header
}

var headerSize = int64(binary.Size(header{}))

// A DamagedError is the error for a bundle that has been modified or truncated.
type DamagedError struct {
	Path, What string
}

func (e *DamagedError) Error() string {
	return e.Path + " is a damaged bundle (" + e.What + "): copy it again"
}

// ErrNone is the error for a file that is not a bundle.
var ErrNone = errors.New("not a bundle made by gostap bundle")

var errDynamic = errors.New("this gostap is not static, and would not run everywhere: build it with CGO_ENABLED=0")

// programSize is the size of a program in bytes, by its ELF headers. The file may be longer.
func programSize(f io.ReaderAt) (int64, error) {
	program, err := elf.NewFile(f)
	if err != nil {
		return 0, errors.WithStack(err)
	}
	var end uint64
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			return 0, errDynamic
		}
		end = max(end, p.Off+p.Filesz)
	}
	for _, s := range program.Sections {
		if s.Type != elf.SHT_NOBITS {
			end = max(end, s.Offset+s.FileSize)
		}
	}
	// The section headers may be at the end: e_shoff, e_shentsize and e_shnum of the ELF header.
	var h elf.Header64
	if err := binary.Read(io.NewSectionReader(f, 0, int64(binary.Size(h))), binary.LittleEndian, &h); err != nil {
		return 0, errors.WithStack(err)
	}
	end = max(end, h.Shoff+uint64(h.Shentsize)*uint64(h.Shnum))
	if end > 1<<40 {
		return 0, errors.New("the program's headers are damaged")
	}
	return int64(end), nil
}

// Self returns the bundle that the running program is; nil if it is not a bundle.
func Self() (*Bundle, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, nil // /proc is not mounted, which is reported elsewhere
	}
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	b, err := read(f, path, false)
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	return b, err
}

// Open reads a bundle and verifies all of it. The error is ErrNone, wrapped, if the file is not a
// bundle, and a *DamagedError if it is a bundle that has been modified or truncated.
func Open(path string) (*Bundle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer f.Close()
	return read(f, path, true)
}

// read reads a bundle and verifies the archive and, if whole is set, the program.
func read(f *os.File, path string, whole bool) (*Bundle, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var mark [4]byte
	f.ReadAt(mark[:], 0)
	end, err := programSize(f)
	switch {
	case string(mark[:]) != elf.ELFMAG || errors.Is(err, errDynamic) || info.Size() == end:
		return nil, errors.Wrap(ErrNone, path)
	case err != nil || info.Size() < end:
		return nil, &DamagedError{path, "it is cut off within its program"}
	}
	rest := make([]byte, info.Size()-end)
	if _, err := f.ReadAt(rest, end); err != nil {
		return nil, errors.WithStack(err)
	}
	if n := min(len(rest), len(magic)); string(rest[:n]) != magic[:n] {
		return nil, errors.Wrap(ErrNone, path)
	}
	var h header
	if err := binary.Read(bytes.NewReader(rest), binary.LittleEndian, &h); err != nil {
		return nil, &DamagedError{path, "it is cut off within its header"}
	}
	archive := rest[headerSize:]
	if int64(len(archive)) != h.Size {
		return nil, &DamagedError{path, sizes(int64(len(archive)), h.Size)}
	}
	if !h.matches(archive) {
		return nil, &DamagedError{path, "the checksum of its modules is wrong"}
	}
	if whole {
		if sum, err := sumOf(io.NewSectionReader(f, 0, end)); err != nil || sum != h.Program {
			return nil, &DamagedError{path, "the checksum of its program is wrong"}
		}
	}
	return unpack(path, archive)
}
