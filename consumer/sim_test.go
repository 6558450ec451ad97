// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// simCPU is a CPU of a simulated kernel: it writes records in the format of protocol.h.
type simCPU struct {
	kernel    *simKernel
	cpu       int
	mem       []byte
	size, n   uint64
	overwrite bool
	running   sync.Mutex // held by a handler, in place of disabled interrupts

	seq                               uint64 // of the open sub-buffer, 0 before the first
	at                                uint32
	consumed                          atomic.Uint64
	written, lost, overwritten, first uint64
}

type simKernel struct {
	clock atomic.Uint64
	cpus  []*simCPU
}

func newSimKernel(cpus int, size, n uint64) *simKernel {
	k := new(simKernel)
	for cpu := range cpus {
		// As uint64s, so that everything is aligned as in a mapping.
		words := make([]uint64, size*n/8)
		mem := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size*n)
		k.cpus = append(k.cpus, &simCPU{kernel: k, cpu: cpu, mem: mem, size: size, n: n})
	}
	return k
}

func (k *simKernel) buffers() []*buffer {
	var buffers []*buffer
	for _, c := range k.cpus {
		buffers = append(buffers, newBuffer(c.cpu, c.mem, geometry{size: uint32(c.size), n: uint32(c.n), consumed: c.consumed.Load(), first: c.first}, func(n int) error {
			c.consumed.Add(uint64(n))
			return nil
		}))
	}
	return buffers
}

// barrier returns when every handler that was running has ended.
func (k *simKernel) barrier() {
	for _, c := range k.cpus {
		c.running.Lock()
		c.running.Unlock()
	}
}

func (c *simCPU) header() *subbuf {
	return (*subbuf)(unsafe.Pointer(&c.mem[(c.seq-1)%c.n*c.size]))
}

// begin closes the open sub-buffer and opens the next, if there is one.
func (c *simCPU) begin() bool {
	if c.seq-c.consumed.Load() >= c.n {
		if !c.overwrite {
			return false
		}
		next := (*subbuf)(unsafe.Pointer(&c.mem[(c.consumed.Load()+1)%c.n*c.size]))
		if next.written > c.first {
			c.overwritten += next.written - c.first
			c.first = next.written
		}
		c.consumed.Add(1)
	}
	if c.seq > 0 {
		atomic.StoreUint32(&c.header().closed, 1)
	}
	c.seq++
	h := c.header()
	atomic.StoreUint32(&h.closed, 0)
	atomic.StoreUint32(&h.committed, subbufSize)
	h.lost = c.lost
	h.written = c.written
	atomic.StoreUint64(&h.seq, c.seq)
	c.at = subbufSize
	return true
}

// fullness returns the share of the buffer that has not been consumed, 1 being all.
func (c *simCPU) fullness() float64 { return float64(c.seq-c.consumed.Load()) / float64(c.n) }

func (c *simCPU) write(kind, point uint16, time uint64, payload []byte) bool {
	length := uint32(recordSize + len(payload))
	size := (length + 7) &^ 7
	if c.seq == 0 || uint64(c.at+size) > c.size {
		if !c.begin() {
			c.lost++
			return false
		}
	}
	base := (c.seq - 1) % c.n * c.size
	r := (*record)(unsafe.Pointer(&c.mem[base+uint64(c.at)]))
	*r = record{len: length, kind: kind, point: point, time: time}
	copy(c.mem[base+uint64(c.at)+recordSize:], payload)
	c.at += size
	c.written++
	atomic.StoreUint32(&c.header().committed, c.at)
	return true
}

// handler simulates a run of a handler: it takes a timestamp, and writes records with pauses in
// between.
func (c *simCPU) handler(records int, pause func()) {
	c.running.Lock()
	defer c.running.Unlock()
	time := c.kernel.clock.Add(1)
	for i := range records {
		pause()
		payload := binary.LittleEndian.AppendUint64(nil, uint64(i))
		payload = append(payload, make([]byte, i*5)...)
		c.write(recText, noPoint, time, payload)
	}
}

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(&b[0]) }

// checkingSink fails the test if records are out of order.
type checkingSink struct {
	t       *testing.T
	records uint64
	time    uint64
	cpu     int
	index   uint64
	slow    func()
	line    bool // append something for each
}

func (s *checkingSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	index := binary.LittleEndian.Uint64(payload)
	if s.records > 0 {
		switch {
		case r.time < s.time:
			s.t.Errorf("time %d of cpu%d comes after %d of cpu%d", r.time, cpu, s.time, s.cpu)
		case r.time == s.time && cpu != s.cpu:
			s.t.Errorf("time %d is that of two runs: simulation is wrong", r.time)
		case r.time == s.time && index <= s.index:
			s.t.Errorf("time %d: record %d comes after %d", r.time, index, s.index)
		}
	}
	s.time, s.cpu, s.index = r.time, cpu, index
	s.records++
	if s.slow != nil {
		s.slow()
	}
	if s.line {
		dst = append(dst, '.')
	}
	return dst, true
}
