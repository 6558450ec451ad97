// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"io"
	"math/rand"
	"sync"
	"testing"
	"time"
)

func startReader(t testing.TB, k *simKernel, out *output) *reader {
	t.Helper()
	r, err := newReader(k.buffers(), out, k.barrier)
	if err != nil {
		t.Fatal(err)
	}
	go r.run()
	return r
}

func stopReader(t testing.TB, r *reader) {
	t.Helper()
	r.stop()
	select {
	case <-r.done:
	case <-time.After(20 * time.Second):
		t.Fatal("the reader does not end")
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
	r.close()
}

// TestOrder runs handlers that stall at random on many CPUs, and checks that the output is in order,
// that runs are not mixed, and that written = read.
func TestOrder(t *testing.T) {
	tests := []struct {
		cpus    int
		size, n uint64
		runs    int
		slow    time.Duration
	}{
		{cpus: 1, size: 1 << 10, n: 8, runs: 3000},
		{cpus: 2, size: 64 << 10, n: 16, runs: 20000},
		{cpus: 8, size: 4 << 10, n: 8, runs: 4000},
		{cpus: 33, size: 1 << 10, n: 4, runs: 1000},
		{cpus: 4, size: 4 << 10, n: 8, runs: 500, slow: 20 * time.Microsecond},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%d cpus, %d*%d", test.cpus, test.n, test.size), func(t *testing.T) {
			k := newSimKernel(test.cpus, test.size, test.n)
			sink := &checkingSink{t: t}
			if test.slow > 0 {
				sink.slow = func() { time.Sleep(test.slow) }
			}
			r := startReader(t, k, &output{sink: sink, w: io.Discard})
			var wait sync.WaitGroup
			for _, c := range k.cpus {
				wait.Go(func() {
					random := rand.New(rand.NewSource(int64(c.cpu)))
					for range test.runs {
						c.handler(1+random.Intn(4), func() {
							if random.Intn(200) == 0 {
								time.Sleep(time.Duration(random.Intn(2000)) * time.Microsecond)
							}
						})
					}
				})
			}
			wait.Wait()
			stopReader(t, r)
			written, lost := uint64(0), uint64(0)
			for i, c := range k.cpus {
				written += c.written
				lost += c.lost
				b := r.buffers[i]
				if b.records != c.written {
					t.Errorf("cpu%d: %d records written, %d read", i, c.written, b.records)
				}
				if b.lost > c.lost {
					t.Errorf("cpu%d: %d records lost, %d reported", i, c.lost, b.lost)
				}
				if b.bad != 0 {
					t.Errorf("cpu%d: %d bad", i, b.bad)
				}
				if b.spilled != 0 {
					t.Errorf("cpu%d: %d bytes are still spilled", i, b.spilled)
				}
			}
			if sink.records != written {
				t.Errorf("%d records written, %d emitted", written, sink.records)
			}
			t.Logf("%d records, %d lost", written, lost)
		})
	}
}

// TestSpill: while a handler that does not end delays the order, others lose nothing.
func TestSpill(t *testing.T) {
	k := newSimKernel(2, 4<<10, 8)
	sink := &checkingSink{t: t}
	r := startReader(t, k, &output{sink: sink, w: io.Discard})
	stall := make(chan struct{})
	stalled := make(chan struct{})
	go func() {
		defer close(stalled)
		k.cpus[0].handler(1, func() { <-stall })
	}()
	for range 2000 { // 10 times the buffer's size
		k.cpus[1].handler(2, func() {})
		for k.cpus[1].fullness() > 1.0/2 { // the reader has not been woken yet
			time.Sleep(20 * time.Microsecond)
		}
	}
	close(stall)
	<-stalled
	stopReader(t, r)
	if lost := k.cpus[1].lost; lost > 0 {
		t.Errorf("%d records lost", lost)
	}
	if sink.records != 4001 {
		t.Errorf("%d records", sink.records)
	}
}

// TestRecorder: a flight recorder's buffers are read from the oldest remaining record; the next reader
// continues where the last one has stopped.
func TestRecorder(t *testing.T) {
	k := newSimKernel(2, 1<<10, 4)
	sink := &checkingSink{t: t}
	read := uint64(0)
	for reader := range 6 {
		for i, runs := range []int{reader * 40, 7} {
			k.cpus[i].overwrite = true
			for range runs {
				k.cpus[i].handler(1+runs%3, func() {})
			}
			k.cpus[i].overwrite = false
		}
		r := startReader(t, k, &output{sink: sink, w: io.Discard})
		// Records that arrive during reading are read as well, by this reader or by the next.
		k.cpus[0].handler(2, func() {})
		r.leaving.Store(true)
		stopReader(t, r)
		written, overwritten := uint64(0), uint64(0)
		for i, b := range r.buffers {
			c := k.cpus[i]
			c.first = b.from + b.records
			read += b.records
			written += c.written
			overwritten += c.overwritten
			if b.bad != 0 || c.lost != 0 {
				t.Errorf("cpu%d: %d bad, %d lost", i, b.bad, c.lost)
			}
		}
		if read+overwritten != written || sink.records != read {
			t.Errorf("reader %d: %d read (%d emitted) and %d overwritten of %d", reader, read, sink.records, overwritten, written)
		}
		if (overwritten > 0) != (reader > 1) {
			t.Errorf("reader %d: %d overwritten", reader, overwritten)
		}
	}
}

// TestGarbled: malformed records are counted, and reading continues with the next sub-buffer.
func TestGarbled(t *testing.T) {
	for _, length := range []uint32{0, 15, 1 << 20, 0xffffffff} {
		k := newSimKernel(1, 1<<10, 4)
		c := k.cpus[0]
		c.handler(1, func() {})
		c.write(recText, noPoint, 7, make([]byte, 8))
		*(*uint32)(ptr(c.mem[subbufSize+24:])) = length
		for range 50 {
			c.handler(1, func() {})
		}
		sink := &checkingSink{t: t}
		m := merger{buffers: k.buffers()}
		for range 2 {
			m.scan()
			m.emit(everything, emitBudget, &output{sink: sink, w: io.Discard})
		}
		if b := m.buffers[0]; b.bad != 1 || sink.records < 10 || sink.time != 51 {
			t.Errorf("length %d: %d bad, %d records up to %d", length, b.bad, sink.records, sink.time)
		}
	}
}

// TestLatency: a record is written soon even if none follows it.
func TestLatency(t *testing.T) {
	k := newSimKernel(3, 64<<10, 4)
	written := make(chan time.Time, 1)
	out := &output{sink: &checkingSink{t: t, line: true}, w: writerFunc(func(b []byte) (int, error) {
		written <- time.Now()
		return len(b), nil
	})}
	r := startReader(t, k, out)
	worst := time.Duration(0)
	for range 10 {
		time.Sleep(30 * time.Millisecond)
		began := time.Now()
		k.cpus[1].handler(1, func() {})
		worst = max(worst, (<-written).Sub(began))
	}
	stopReader(t, r)
	t.Logf("at worst %v", worst)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
