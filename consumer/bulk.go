// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"sync"
)

// Bulk is an output in a file for each processor: -b. A file consists of chunks, each a bulkHeader and the text of
// consecutive records of that processor; Merge restores their order.
type Bulk struct {
	name  func(cpu int) string
	limit int64 // of a file's size, 0 for none
	keep  int   // of each processor's files, 0 for all

	mu    sync.Mutex
	files map[int]*bulkFile
}

// A bulkFile is the output of a processor.
type bulkFile struct {
	*Files
	buf []byte // whole chunks that have not been written yet
}

// bulkMagic begins each chunk.
const bulkMagic = 0x42705347 // "GSpB"

// A bulkHeader precedes a chunk's text, little-endian.
type bulkHeader struct {
	Magic    uint32
	CPU      uint32
	Sequence uint64 // of the chunk among all processors'
	Length   uint64 // of the text, in bytes
}

// NewBulk returns the output to files of those names. Each file has at most limit bytes, and only the
// last keep files are kept, as with OpenFiles.
func NewBulk(name func(cpu int) string, limit int64, keep int) *Bulk {
	return &Bulk{name: name, limit: limit, keep: keep, files: map[int]*bulkFile{}}
}

// open creates a processor's file, if there is none yet.
func (b *Bulk) open(cpu int) (*bulkFile, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.files[cpu]; f != nil {
		return f, nil
	}
	files, err := OpenFiles(func() string { return b.name(cpu) }, b.limit, b.keep)
	if err != nil {
		return nil, err
	}
	b.files[cpu] = &bulkFile{Files: files}
	return b.files[cpu], nil
}

// openAll creates the files of the processors that have buffers. b may be nil.
func (b *Bulk) openAll(buffers []*buffer) error {
	if b == nil {
		return nil
	}
	for _, of := range buffers {
		if _, err := b.open(of.cpu); err != nil {
			return err
		}
	}
	return nil
}

// each calls do with all files, and returns the first error.
func (b *Bulk) each(do func(*bulkFile) error) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.files {
		if e := do(f); err == nil {
			err = e
		}
	}
	return err
}

// Switch switches each processor's output to its next file.
func (b *Bulk) Switch() error { return b.each(func(f *bulkFile) error { return f.Switch() }) }

// Close closes the files.
func (b *Bulk) Close() error { return b.each(func(f *bulkFile) error { return f.Close() }) }

// flush writes the whole chunks.
func (f *bulkFile) flush() error {
	if len(f.buf) == 0 {
		return nil
	}
	_, err := f.Write(f.buf)
	f.buf = f.buf[:0]
	return err
}

// A bulkSink writes another sink's output to the processors' files.
type bulkSink struct {
	sink
	to       *Bulk
	sequence uint64
	cpu      int    // of the chunk
	chunk    []byte // text
	failed   error
}

func (s *bulkSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	if cpu != s.cpu || len(s.chunk) >= flushAt {
		s.end()
	}
	var ok bool
	s.cpu = cpu
	s.chunk, ok = s.sink.record(s.chunk, cpu, r, payload)
	return dst, ok
}

// end adds the chunk to those of its processor.
func (s *bulkSink) end() {
	if len(s.chunk) == 0 || s.failed != nil {
		return
	}
	var f *bulkFile
	if f, s.failed = s.to.open(s.cpu); s.failed != nil {
		return
	}
	s.sequence++
	header := bulkHeader{bulkMagic, uint32(s.cpu), s.sequence, uint64(len(s.chunk))}
	f.buf, _ = binary.Append(f.buf, binary.LittleEndian, &header)
	f.buf = append(f.buf, s.chunk...)
	s.chunk = s.chunk[:0]
	if len(f.buf) >= flushAt {
		s.failed = f.flush()
	}
}

// flush writes the last chunk, too.
func (s *bulkSink) flush() error {
	s.end()
	if s.failed == nil {
		s.failed = s.to.each((*bulkFile).flush)
	}
	return s.failed
}
