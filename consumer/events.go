// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"time"

	"golang.org/x/sys/unix"

	"gostap/live"
	"gostap/manifest"
)

// A teeSink passes records to other sinks, too.
type teeSink struct {
	sink
	others []sink
}

func (t *teeSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	for _, s := range t.others {
		s.record(nil, cpu, r, payload)
	}
	return t.sink.record(dst, cpu, r, payload)
}

// An eventSink makes an event of the output of each run of a handler; it writes nothing to the output.
type eventSink struct {
	tell   func(live.Event)
	text   *textSink
	probes []manifest.Point
	clock  *clock
	boot   time.Time // when CLOCK_MONOTONIC began; zero: to be read

	cpu    int // of the run
	time   uint64
	point  uint16
	shown  []byte // the run's output,
	stacks []byte // and its stacks
}

// longEvent bounds the text of an event.
const longEvent = 64 << 10

func (e *eventSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	if cpu != e.cpu || r.time != e.time || r.point != e.point || len(e.shown)+len(e.stacks) > longEvent {
		e.end()
		e.cpu, e.time, e.point = cpu, r.time, r.point
	}
	ok := false
	if r.kind == recStack || r.kind == recUstack {
		e.stacks, ok = e.text.record(e.stacks, cpu, r, payload)
	} else {
		e.shown, ok = e.text.record(e.shown, cpu, r, payload)
	}
	return dst, ok
}

// end reports the run, if there is one. Stacks without text are no event.
func (e *eventSink) end() {
	if len(e.shown) > 0 {
		event := live.Event{Time: e.wall(), CPU: e.cpu, Text: string(e.shown), Stack: string(e.stacks)}
		if int(e.point) < len(e.probes) {
			event.Probe = e.probes[e.point].Name
		}
		e.tell(event)
	}
	e.shown, e.stacks = e.shown[:0], e.stacks[:0]
}

// wall returns the wall-clock time of the run.
func (e *eventSink) wall() time.Time {
	if e.boot.IsZero() {
		var now unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
		e.boot = time.Now().Add(-time.Duration(now.Nano()))
	}
	return e.boot.Add(time.Duration(e.clock.nanoseconds(e.time)))
}

// flush ends the current run.
func (e *eventSink) flush() {
	e.end()
	e.boot = time.Time{} // the wall clock may be set meanwhile
}
