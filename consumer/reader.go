// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/panics"
)

const (
	idleTick    = 25 * time.Millisecond // how often buffers are looked at when nothing wakes the reader
	busyTick    = 2 * time.Millisecond  // the same while a grace period passes
	hotplugTick = time.Second           // how often it looks for CPUs that were plugged in
	emitBudget  = 1 << 20               // bytes of records emitted between two looks at the buffers
	spillLimit  = 256 << 20             // bytes copied aside at most
	everything  = math.MaxUint64
)

// A reader is the goroutine that empties the buffers: see "Order" in the package comment.
type reader struct {
	merger
	out     *output
	barrier barrier
	openNew func() []*buffer // buffers of CPUs that are new; nil if there never are

	wakeFd   int // an eventfd: readable when stop has been called
	stopping atomic.Bool
	leaving  atomic.Bool   // stop means leave
	done     chan struct{} // closed when run has returned
	err      error         // valid then

	safe        uint64 // records up to this time may be emitted
	spurious    bool   // poll reported data, and there were none
	lastHotplug time.Time
	mu          sync.Mutex // held while buffers changes, and by close
	closed      bool       // the files are closed
	pollFds     []unix.PollFd
	requests    chan struct{}                // a grace period is wanted
	passedFd    int                          // an eventfd: readable when it has passed
	panicked    atomic.Pointer[panics.Error] // in the goroutine that waits for grace periods
}

func newReader(buffers []*buffer, out *output, barrier barrier) (*reader, error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, errors.Wrap(err, "eventfd")
	}
	passed, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(wake)
		return nil, errors.Wrap(err, "eventfd")
	}
	return &reader{
		merger:      merger{buffers: buffers},
		out:         out,
		barrier:     barrier,
		wakeFd:      wake,
		done:        make(chan struct{}),
		lastHotplug: time.Now(),
		requests:    make(chan struct{}, 1),
		passedFd:    passed,
	}, nil
}

// stop requests run to write all remaining records and return. No handler may be running, unless
// leaving has been set: then later records are left to the next reader.
func (r *reader) stop() {
	r.stopping.Store(true)
	signalEventfd(r.wakeFd)
}

// signalEventfd makes an eventfd readable.
func signalEventfd(fd int) { unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// raisePriority gives the calling goroutine a thread of its own with real-time priority:
// on a busy machine, the buffers would fill up while the thread waits for a CPU. It
// sleeps most of the time. Without the privilege nothing changes.
func raisePriority() {
	runtime.LockOSThread()
	unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20)
}

// run empties the buffers until stop is called or the output fails.
func (r *reader) run() {
	defer close(r.done)
	defer panics.Catch(&r.err)
	raisePriority()
	go r.waitGracePeriods()
	defer close(r.requests)
	for !r.stopping.Load() && r.out.failed == nil {
		r.round()
	}
	r.addHotplugged()
	if r.leaving.Load() {
		r.leave()
	} else {
		for r.scan() || r.pending() && r.out.failed == nil {
			r.emitUpto(everything)
		}
	}
	r.out.flush()
}

// leave emits all records so far, also those that were copied aside.
func (r *reader) leave() {
	r.scan()
	latest := r.latest()
	r.barrier()
	r.scan()
	for !r.emit(latest, emitBudget, r.out) && r.out.failed == nil {
	}
}

// round does one of the rounds that the package comment describes.
func (r *reader) round() {
	if time.Since(r.lastHotplug) >= hotplugTick {
		r.addHotplugged()
	}
	found := r.scan()
	if !r.pending() {
		r.out.flush()
		r.wait(found)
		return
	}
	if len(r.buffers) == 1 {
		// The records of a single buffer are in order.
		r.emitUpto(everything)
		return
	}
	latest := r.latest()
	if latest <= r.safe {
		r.emitUpto(r.safe)
		return
	}
	r.requests <- struct{}{}
	r.emitUpto(r.safe)
	r.out.flush()
	r.awaitGracePeriod()
	r.safe = latest
}

// waitGracePeriods waits for grace periods beside run, to which a panic here is passed on.
func (r *reader) waitGracePeriods() {
	defer func() {
		if p := recover(); p != nil {
			r.panicked.Store(panics.Of(p))
			signalEventfd(r.passedFd)
			return
		}
		unix.Close(r.passedFd)
	}()
	raisePriority()
	for range r.requests {
		r.barrier()
		signalEventfd(r.passedFd)
	}
}

// awaitGracePeriod waits for the end of the grace period and keeps the kernel in room
// meanwhile. It sleeps in poll, as Go's timers would need other threads' help.
func (r *reader) awaitGracePeriod() {
	fds := []unix.PollFd{{Fd: int32(r.passedFd), Events: unix.POLLIN}}
	var count [8]byte
	for {
		unix.Poll(fds, int(busyTick/time.Millisecond))
		if _, err := unix.Read(r.passedFd, count[:]); err == nil {
			if e := r.panicked.Load(); e != nil {
				panic(e)
			}
			return
		}
		r.scan()
		r.spillNearlyFull()
	}
}

// emitUpto emits all records seen of times up to upto.
func (r *reader) emitUpto(upto uint64) {
	for !r.emit(upto, emitBudget, r.out) && r.out.failed == nil {
		r.scan()
		r.spillNearlyFull()
	}
}

// spillNearlyFull spills the buffers in which the kernel is about to run out of room.
func (r *reader) spillNearlyFull() {
	spilled := 0
	for _, b := range r.buffers {
		spilled += b.spilled
	}
	for _, b := range r.buffers {
		if b.nearlyFull() && spilled < spillLimit {
			spilled -= b.spilled
			b.spill()
			spilled += b.spilled
		}
	}
}

// addHotplugged adds the buffers of CPUs that have been plugged in. A CPU's first records
// may be written up to a second late.
func (r *reader) addHotplugged() {
	if r.openNew == nil {
		return
	}
	r.lastHotplug = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.buffers = append(r.buffers, r.openNew()...)
	}
}

// wait sleeps until a sub-buffer is full, the tick has passed, or stop was called.
func (r *reader) wait(found bool) {
	fds := append(r.pollFds[:0], unix.PollFd{Fd: int32(r.wakeFd), Events: unix.POLLIN})
	if !r.spurious || found {
		for _, b := range r.buffers {
			if b.file != nil {
				fds = append(fds, unix.PollFd{Fd: int32(b.file.fd), Events: unix.POLLIN})
			}
		}
	}
	r.pollFds = fds
	n, err := unix.Poll(fds, int(idleTick/time.Millisecond))
	// If the next look finds nothing, sleep without asking the files.
	r.spurious = err == nil && n > 0
}

// close closes the buffers. If run has not returned, it reads zeros.
func (r *reader) close() {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, b := range r.buffers {
		b.close()
	}
	select {
	case <-r.done:
		unix.Close(r.wakeFd)
	default:
	}
}
