// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"math"
	"unsafe"
)

// A merger emits the records of several buffers in the order of (time, CPU).
type merger struct {
	buffers []*buffer
	heap    []entry // those that have records, the earliest first
}

// An entry is a buffer with the time of its oldest record.
type entry struct {
	time uint64
	cpu  int
	b    *buffer
}

func (e *entry) before(other *entry) bool {
	return e.time < other.time || e.time == other.time && e.cpu < other.cpu
}

// scan looks for new records in every buffer.
func (m *merger) scan() bool {
	found := false
	for _, b := range m.buffers {
		if b.scan() {
			found = true
		}
	}
	return found
}

// latest returns the latest time seen.
func (m *merger) latest() uint64 {
	t := uint64(0)
	for _, b := range m.buffers {
		t = max(t, b.latest)
	}
	return t
}

// pending reports whether there are records that have been seen and not emitted.
func (m *merger) pending() bool {
	for _, b := range m.buffers {
		if b.head() != nil {
			return true
		}
	}
	return false
}

// emit passes the records of times up to upto to out, in order, and stops
// early after about budget bytes, or when out has failed. It reports whether
// it emitted all.
func (m *merger) emit(upto uint64, budget int, out *output) bool {
	m.heap = m.heap[:0]
	for _, b := range m.buffers {
		if r := b.head(); r != nil && r.time <= upto {
			m.heap = append(m.heap, entry{r.time, b.cpu, b})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		down(m.heap, i)
	}
	last := entry{time: upto, cpu: math.MaxInt}
	heap := m.heap
	for len(heap) > 0 {
		if budget <= 0 || out.failed != nil {
			return false
		}
		// The first buffer's records go out until another's are earlier.
		limit := &last
		if len(heap) > 1 {
			limit = &heap[1]
			if len(heap) > 2 && heap[2].before(limit) {
				limit = &heap[2]
			}
		}
		spent, next := heap[0].b.emit(limit, budget, out)
		budget -= spent
		if next != nil && next.time <= upto {
			heap[0].time = next.time
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		down(heap, 0)
	}
	return true
}

// emit passes the buffer's records that come before limit to out, about budget
// bytes of them. It returns how many bytes they took and the record that follows.
func (b *buffer) emit(limit *entry, budget int, out *output) (spent int, next *record) {
	// A record of the limit's time comes before it if this CPU does.
	before := limit.time
	if b.cpu < limit.cpu {
		before++
	}
	always := before == 0 // the limit is beyond all times
	// As out.record and out.buf, without a call and a store for each record.
	sink, buf := out.sink, out.buf
	for next = b.head(); next != nil; next = b.head() {
		s := &b.segs[b.first]
		data, records := s.data, uint64(0)
		for len(data) >= recordSize {
			r := (*record)(unsafe.Pointer(unsafe.SliceData(data)))
			if r.time >= before && !always || spent >= budget {
				s.data = data
				b.records += records
				out.taken += records
				out.buf = buf
				return spent, r
			}
			size := (uint64(r.len) + 7) &^ 7
			if r.len < recordSize || size > uint64(len(data)) {
				// The record was whole when it was seen: the buffer has been closed.
				b.bad++
				size = uint64(len(data))
			} else {
				payload, ok := data[recordSize:r.len], false
				records++
				if buf, ok = sink.record(buf, b.cpu, r, payload); !ok || len(buf) >= flushAt || r.acts() {
					out.buf = buf
					b.records += records
					out.taken += records
					records = 0
					out.recordSlow(ok, r, payload)
					buf = out.buf
				}
			}
			data = data[size:]
			spent += int(size)
		}
		s.data = data[len(data):]
		b.records += records
		out.taken += records
	}
	out.buf = buf
	return spent, nil
}

// down restores the order of heap, in which only the entry at i may be too late.
func down(heap []entry, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if other := child + 1; other < len(heap) && heap[other].before(&heap[child]) {
			child = other
		}
		if !heap[child].before(&heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
