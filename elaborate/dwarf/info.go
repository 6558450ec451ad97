// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/pkg/errors"

	"gostap/internal/buildid"
	"gostap/internal/cache"
	"gostap/internal/compress"
)

// An Info is debuginfo with its index. The debuginfo itself is opened for
// data that the index does not have.
type Info struct {
	*Index
	IsSubset bool   // debuginfo of some units only
	dir      string // of the index
	file     func() (*File, error)

	mu     sync.Mutex
	starts map[string][]int // where functions begin, by file
	table  *Types
	byDie  map[[2]uint32]uint32 // instances by unit and DIE
}

// Load returns the debuginfo that find finds, by the index that is kept in the
// file index; if there is none yet, or of another file, it is built, which
// takes seconds for a kernel, with calls of progress.
func (f *Finder) Load(index string, find func() (string, error), progress Progress) (*Info, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	if x, err := openIndex(index); err == nil && x.Path() == path && x.fresh() {
		return f.info(x, index), nil
	}
	file, err := f.open(path)
	if err != nil {
		return nil, err
	}
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	data, err := buildIndex(file, stat, progress)
	if err != nil {
		return nil, errors.Wrap(err, path)
	}
	if err := cache.Write(index, data); err != nil {
		return nil, err
	}
	x, err := useIndex(data)
	if err != nil {
		return nil, err
	}
	info := f.info(x, index)
	info.file = func() (*File, error) { return file, nil }
	return info, nil
}

// info returns debuginfo by its index, which is kept in the file path.
func (f *Finder) info(x *Index, path string) *Info {
	dir := ""
	if path != "" {
		dir = filepath.Dir(path)
	}
	return &Info{Index: x, dir: dir, starts: map[string][]int{}, file: sync.OnceValues(func() (*File, error) {
		file, err := f.open(x.Path())
		if err == nil {
			file.scanned = true
			for _, u := range x.units {
				file.offsets = append(file.offsets, u.Off)
			}
		}
		return file, err
	})}
}

// open opens debuginfo, with its supplement.
func (f *Finder) open(path string) (*File, error) {
	file, err := openMapped(path, f.Cache)
	if err == nil {
		file.absolute = f.Absolute
		file.alt, err = f.supplement(file)
	}
	if err == nil && file.alt != nil {
		file.alt.absolute = f.Absolute
	}
	if err == nil && f.Frames != "" && len(file.frame) == 0 && len(file.ehFrame) == 0 {
		err = file.takeFrames(f.Frames)
	}
	return file, err
}

// fresh reports whether the debuginfo has not changed since the index was built.
func (x *Index) fresh() bool {
	stat, err := os.Stat(x.Path())
	return err == nil && uint64(stat.Size()) == x.header.Size && uint64(stat.ModTime().UnixNano()) == x.header.ModTime
}

// IndexPath returns where the index of the debuginfo of a kernel, a module or a program is kept.
func IndexPath(buildID string) string {
	return cache.Path("debuginfo", buildID, "index")
}

// CacheDir is the folder for downloads from debuginfod servers.
func CacheDir() string { return cache.Path("debuginfo") }

// inspect reads the build-id of the ELF file path, its .gnu_debuglink, and
// whether it has debuginfo, but no more of it.
func inspect(path string) (buildID, link string, has bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", "", false, err
	}
	defer file.Close()
	whole, err := unpacked(file)
	if err != nil {
		return "", "", false, errors.Wrap(err, path)
	}
	e, err := elf.NewFile(whole)
	if err != nil {
		return "", "", false, errors.Wrap(err, path)
	}
	for _, s := range e.Sections {
		switch {
		case s.Type == elf.SHT_NOTE && buildID == "" && s.Size < 1<<20:
			if p, err := s.Data(); err == nil {
				buildID = buildid.Find(p)
			}
		case s.Name == ".gnu_debuglink" && s.Size < 1<<16:
			if p, err := s.Data(); err == nil {
				link = textAt(p, 0)
			}
		case s.Name == ".debug_info" || s.Name == ".zdebug_info":
			// A file that is compressed as a whole can't be mapped.
			has = s.Type != elf.SHT_NOBITS && s.Size > 0 && whole == io.ReaderAt(file)
		}
	}
	return buildID, link, has, nil
}

// unpacked returns the content of a file that may be compressed like a kernel module,
// by its name: other files are not read, as a kernel's debuginfo is large.
func unpacked(file *os.File) (io.ReaderAt, error) {
	switch filepath.Ext(file.Name()) {
	case ".xz", ".gz", ".zst":
	default:
		return file, nil
	}
	packed, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	data, err := compress.Decompress(packed)
	return bytes.NewReader(data), err
}

// BuildID returns the GNU build-id of an ELF file, in hex.
func BuildID(path string) (string, error) {
	id, _, _, err := inspect(path)
	if err == nil && id == "" {
		err = errors.Errorf("%s has no build-id", path)
	}
	return id, err
}

// supID returns the checksum of a DWARF 5 supplement, "" if it is none.
func (f *File) supID() string {
	p, err := f.debugSection("sup")
	if err != nil || len(p) < 4 {
		return ""
	}
	b := buf{data: p}
	b.u16()
	if b.u8() == 0 {
		return ""
	}
	b.text()
	return hex.EncodeToString(b.take(b.uleb()))
}
