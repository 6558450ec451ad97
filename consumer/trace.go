// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/lazyregexp"
	"gostap/output/perfetto"
	"gostap/translator/format"
)

// Trace makes a Perfetto trace of a session's output, and writes it continuously: an event is the output of one run of a
// handler.
type Trace struct {
	sink traceSink
}

// Rest returns what is still to be written when the session has ended.
func (t *Trace) Rest() []byte { return t.sink.end(nil) }

// A traceSink turns records into the trace's packets.
type traceSink struct {
	trace  *perfetto.Trace
	text   *textSink
	clock  *clock
	args   [][]namedArg // for each format
	values []format.Value

	event  perfetto.Event // of the run that records come from
	begun  bool
	cpu    int
	time   uint64
	point  uint16
	buffer []byte // holds the strings of its args
}

func (t *Trace) newSink(from *sources) (sink, error) {
	if !from.manifest.Tasks {
		return nil, errors.New("the module was built without --output=perfetto: its records don't say in which thread handlers run")
	}
	points := make([]string, len(from.manifest.Points))
	for i, p := range from.manifest.Points {
		points[i] = p.Name
	}
	t.sink = traceSink{trace: perfetto.New(points, clocksNow()), text: from.text(false), clock: from.clock}
	for _, f := range from.formats {
		t.sink.args = append(t.sink.args, namedArgs(f))
	}
	return &t.sink, nil
}

// clocksNow reads the clocks. None of them fails.
func clocksNow() perfetto.Clocks {
	read := func(id int32) uint64 {
		var t unix.Timespec
		_ = unix.ClockGettime(id, &t)
		return uint64(t.Nano())
	}
	return perfetto.Clocks{Realtime: read(unix.CLOCK_REALTIME), Monotonic: read(unix.CLOCK_MONOTONIC), Boottime: read(unix.CLOCK_BOOTTIME)}
}

func (s *traceSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	if !s.begun || cpu != s.cpu || r.time != s.time || r.point != s.point || r.kind == recTask {
		dst = s.end(dst)
		s.begun, s.cpu, s.time, s.point = true, cpu, r.time, r.point
		s.event = perfetto.Event{Time: s.clock.nanoseconds(r.time), CPU: cpu, Point: int(r.point), Text: s.event.Text[:0], Args: s.event.Args[:0]}
		s.buffer = s.buffer[:0]
	}
	switch r.kind {
	case recTask:
		if len(payload) < int(unsafe.Sizeof(task{})) {
			return dst, false
		}
		t := (*task)(unsafe.Pointer(&payload[0]))
		s.event.Task = perfetto.Task{PID: t.pid, TID: t.tid, Thread: name(t.thread[:]), Process: name(t.process[:])}
		return dst, true
	case recSystem:
		s.event.Text = append(append(append(s.event.Text, "system: "...), payload...), '\n')
		return dst, true
	case recPrint:
		s.keepArgs(payload)
	}
	var ok bool
	s.event.Text, ok = s.text.record(s.event.Text, cpu, r, payload)
	return dst, ok
}

// name returns a task's name, without the NULs behind it.
func name(padded []byte) string {
	before, _, _ := bytes.Cut(padded, []byte{0})
	return string(before)
}

// end appends the packets of the run's event.
func (s *traceSink) end(dst []byte) []byte {
	if s.begun && len(s.event.Text) > 0 {
		dst = s.trace.Append(dst, &s.event)
	}
	s.begun = false
	return dst
}

// A namedArg is an argument of a format that has a name there.
type namedArg struct {
	name  string
	index int // of the argument
}

// nameBefore matches text that names the value behind it: count=, size: or fd=(.
var nameBefore = lazyregexp.MustCompile(`([A-Za-z_][\w.]*) ?[=:] ?["'(\[]?$`)

// namedArgs returns the arguments that have names in a format.
func namedArgs(f printFormat) (list []namedArg) {
	var before strings.Builder
	var kinds []format.Kind
	next := 0 // argument
	for _, d := range f.dirs {
		before.WriteString(d.Text)
		if d.Verb == 0 {
			continue
		}
		kinds = d.Kinds(kinds[:0])
		index := next + len(kinds) - 1
		next += len(kinds)
		if m := nameBefore().FindStringSubmatch(before.String()); m != nil && index < len(f.args) {
			list = append(list, namedArg{m[1], index})
		}
		before.Reset()
	}
	return list
}

// keepArgs stores the arguments of a GS_REC_PRINT that have names.
func (s *traceSink) keepArgs(payload []byte) {
	index, values, ok := printRecord(s.values[:0], s.text.formats, payload)
	s.values = values
	if !ok {
		return
	}
	for _, a := range s.args[index] {
		arg := perfetto.Arg{Name: a.name, Number: values[a.index].N}
		if s.text.formats[index].args[a.index] == 's' {
			start := len(s.buffer)
			s.buffer = append(s.buffer, values[a.index].S...)
			arg.Text = s.buffer[start:len(s.buffer):len(s.buffer)]
		}
		s.event.Args = append(s.event.Args, arg)
	}
}
