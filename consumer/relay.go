// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// A buffer is one CPU's ring of sub-buffers, mapped from its file.
//
// Two positions move through it: seen, up to which records are known to be
// there and whole, and the read position, from which they are emitted. The
// records between them are in segs.
type buffer struct {
	cpu  int
	file *bufferFile // nil in tests
	mem  []byte
	size uint64 // of a sub-buffer
	n    uint64 // sub-buffers

	from    uint64 // number of the first record to be read, among all of this CPU's
	seq     uint64 // of the sub-buffer in which seen is
	seen    uint32 // offset in it; 0 if it has not begun
	skip    uint64 // number of records in it, from seen on, that another reader has read
	garbled bool   // a part of it is malformed
	segs    []segment
	first   int    // index in segs of the segment being read
	mapped  int    // sub-buffers not given back
	spilled int    // bytes copied aside and not emitted
	latest  uint64 // the latest time seen

	consumed func(n int) error // gives back the oldest n sub-buffers

	records uint64 // emitted
	lost    uint64 // lost by the kernel, by the sub-buffers' headers
	bad     uint64 // sub-buffers with malformed records
}

// A segment is the part of a sub-buffer that has been seen and not emitted.
type segment struct {
	data   []byte
	closed bool // nothing will be added to it
	copied int  // size of data if it is a copy; 0: data is in the buffer itself
}

// newBuffer makes a buffer with the geometry g. Reading continues where the last
// reader ended.
func newBuffer(cpu int, mem []byte, g geometry, consumed func(n int) error) *buffer {
	return &buffer{cpu: cpu, mem: mem, size: uint64(g.size), n: uint64(g.n), from: g.first, seq: g.consumed + 1, consumed: consumed}
}

// openBuffers opens the cpuN files in dir that are not in have, a set of
// CPUs, and adds them to it: at first all that exist, later those of CPUs that were plugged in.
func openBuffers(dir string, have map[int]bool) ([]*buffer, error) {
	names, err := cpuFiles(dir)
	if err != nil {
		return nil, err
	}
	var opened []*buffer
	for _, name := range names {
		cpu, err := strconv.Atoi(strings.TrimPrefix(name, "cpu"))
		if err != nil || have[cpu] {
			continue
		}
		b, err := openBuffer(filepath.Join(dir, name), cpu)
		if errors.Is(err, unix.ENXIO) {
			continue // the CPU has never been online
		}
		if err != nil {
			for _, b := range opened {
				b.close()
			}
			return nil, err
		}
		have[cpu] = true
		opened = append(opened, b)
	}
	return opened, nil
}

func cpuFiles(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, errors.Wrap(err, "the module has made no buffers")
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	files := names[:0]
	for _, name := range names {
		if strings.HasPrefix(name, "cpu") {
			files = append(files, name)
		}
	}
	return files, nil
}

func openBuffer(path string, cpu int) (*buffer, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errors.Wrap(err, path)
	}
	var g geometry
	err = ioctl(fd, iocGeometry, uintptr(unsafe.Pointer(&g)))
	switch {
	case err == unix.EBUSY:
		err = errors.New("somebody else is reading it")
	case err == nil && (g.size <= subbufSize || g.n == 0 || g.size%8 != 0):
		err = errors.Errorf("%d sub-buffers of %d bytes make no sense", g.n, g.size)
	}
	if err != nil {
		unix.Close(fd)
		return nil, errors.Wrap(err, path)
	}
	mem, err := unix.Mmap(fd, 0, int(g.size)*int(g.n), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, errors.Wrap(err, path)
	}
	file := &bufferFile{fd: fd}
	b := newBuffer(cpu, mem, g, file.consumed)
	b.file = file
	return b, nil
}

// A bufferFile is the file behind a buffer.
type bufferFile struct {
	mu     sync.Mutex
	fd     int
	closed bool
}

func (f *bufferFile) consumed(n int) error { return f.ioctl(iocConsumed, uintptr(n)) }

func (f *bufferFile) ioctl(request, arg uintptr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return os.ErrClosed
	}
	return ioctl(f.fd, request, arg)
}

// leave tells the kernel up to where the buffer has been read, for the next reader.
func (b *buffer) leave() error { return b.file.ioctl(iocFirst, uintptr(b.from+b.records)) }

func ioctl(fd int, request, arg uintptr) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, arg)
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// close closes the file and replaces the mapping by zeros, so that the module is not
// in use any more, and a reader that still runs finds an end instead of a fault.
func (b *buffer) close() {
	if b.file == nil {
		return
	}
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	if b.file.closed {
		return
	}
	b.file.closed = true
	unix.MmapPtr(-1, 0, unsafe.Pointer(&b.mem[0]), uintptr(len(b.mem)), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED)
	unix.Close(b.file.fd)
}

func (b *buffer) header(seq uint64) (*subbuf, []byte) {
	at := (seq - 1) % b.n * b.size
	mem := b.mem[at : at+b.size : at+b.size]
	return (*subbuf)(unsafe.Pointer(&mem[0])), mem
}

// scan moves seen to the end of the committed records, records the latest time, and reports whether
// there were any.
func (b *buffer) scan() bool {
	found := false
	for {
		h, mem := b.header(b.seq)
		if atomic.LoadUint64(&h.seq) != b.seq {
			return found
		}
		if b.seen == 0 {
			b.seen = subbufSize
			b.skip = b.from - min(b.from, h.written)
			b.garbled = false
			b.lost = h.lost
			b.mapped++
			b.push(segment{data: mem[subbufSize:subbufSize]})
		}
		// closed before committed: the other way round, records
		// that were committed in between would be left behind.
		closed := atomic.LoadUint32(&h.closed) != 0
		committed := atomic.LoadUint32(&h.committed)
		if committed > b.seen && !b.garbled {
			b.see(mem, min(committed, uint32(b.size)))
			found = true
		}
		if !closed {
			return found
		}
		b.segs[len(b.segs)-1].closed = true
		b.seq++
		b.seen = 0
		if b.first == len(b.segs)-1 && len(b.segs[b.first].data) == 0 {
			b.next()
		}
	}
}

// see adds the records between seen and committed to the last segment. If one is
// malformed, the rest of the sub-buffer is left out.
func (b *buffer) see(mem []byte, committed uint32) {
	s := &b.segs[len(b.segs)-1]
	at := uint64(b.seen)
	for end := uint64(committed); at < end && !b.garbled; {
		if end-at < recordSize {
			b.garbled = true
			break
		}
		r := (*record)(unsafe.Pointer(&mem[at]))
		size := (uint64(r.len) + 7) &^ 7
		if r.len < recordSize || size > end-at {
			b.garbled = true
			break
		}
		at += size
		if b.skip > 0 {
			b.skip--
			b.seen = uint32(at)
			s.data = mem[at:at]
			continue
		}
		b.latest = max(b.latest, r.time)
	}
	if b.garbled {
		b.bad++
	}
	s.data = s.data[:len(s.data)+int(at)-int(b.seen)]
	b.seen = uint32(at)
}

// push adds a segment, in the room that read segments have left.
func (b *buffer) push(s segment) {
	if b.first == len(b.segs) {
		b.segs, b.first = b.segs[:0], 0
	} else if b.first > 32 {
		b.segs = b.segs[:copy(b.segs, b.segs[b.first:])]
		b.first = 0
	}
	b.segs = append(b.segs, s)
}

// next leaves a segment that has been read to its end. It reports whether
// there is another with records.
func (b *buffer) next() bool {
	for b.first < len(b.segs) {
		s := &b.segs[b.first]
		if len(s.data) > 0 {
			return true
		}
		if !s.closed {
			return false
		}
		if s.copied == 0 {
			b.release()
		}
		b.spilled -= s.copied
		*s = segment{}
		b.first++
	}
	return false
}

// release gives the oldest sub-buffer back to the kernel.
func (b *buffer) release() {
	b.mapped--
	// An error is not possible for a sub-buffer that has been read.
	_ = b.consumed(1)
}

// head returns the oldest record that has not been emitted, nil if there is none.
func (b *buffer) head() *record {
	if b.first < len(b.segs) {
		if data := b.segs[b.first].data; len(data) > 0 {
			return (*record)(unsafe.Pointer(unsafe.SliceData(data)))
		}
	}
	return b.headOfNext()
}

func (b *buffer) headOfNext() *record {
	if !b.next() {
		return nil
	}
	return (*record)(unsafe.Pointer(&b.segs[b.first].data[0]))
}

// nearlyFull reports whether the buffer is about to be full.
func (b *buffer) nearlyFull() bool { return uint64(b.mapped) > b.n/2 }

// spill copies whole sub-buffers that wait to be emitted, the oldest first, and
// gives them back.
func (b *buffer) spill() {
	for i := b.first; i < len(b.segs) && b.segs[i].closed; i++ {
		s := &b.segs[i]
		if s.copied != 0 || len(s.data) == 0 {
			continue
		}
		s.data = append([]byte(nil), s.data...)
		s.copied = len(s.data)
		b.spilled += s.copied
		b.release()
	}
}
