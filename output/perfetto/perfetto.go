// SPDX-License-Identifier: GPL-2.0-or-later

// Package perfetto writes a session's records as a Perfetto trace, for ui.perfetto.dev and
// trace_processor: events on tracks of threads and processors, with durations, and counters.
//
// A trace is a sequence of TracePackets in protobuf; packet.go has the few messages that are used.
package perfetto

import (
	"bytes"
	"fmt"
	"strings"

	"gostap/output/profile"
)

// A Task is the thread that a handler ran in.
type Task struct {
	PID, TID        uint32 // TID is 0 in the idle loop of a processor
	Thread, Process string
}

// An Arg is a named value of an event: a string, or a number.
type Arg struct {
	Name   string
	Text   []byte // nil: it is a number
	Number int64
}

// An Event is the output of one run of a handler.
type Event struct {
	Time  uint64 // in ns of CLOCK_MONOTONIC
	CPU   int
	Task  Task
	Point int    // index into the points of New; -1: none of them
	Text  []byte // the printed text
	Args  []Arg
}

// A Trace turns events into packets. Events must be in ascending order of time.
type Trace struct {
	packets
	points []point
	tracks
	threads map[uint32]*thread
	byKey   map[laneKey]*lanes
}

// A thread has the thread's open slices, the outermost first. Each is identified by what closes it: the
// stem of a probe point, or the mark.
type thread struct {
	task Task
	open []string
}

// maxOpen is the maximal number of a thread's open slices; deeper ones become instants.
const maxOpen = 256

// New returns a trace of a script with these probe points. Its first packets have the readings of the
// clocks.
func New(points []string, clocks Clocks) *Trace {
	t := &Trace{points: pair(points), threads: map[uint32]*thread{}, byKey: map[laneKey]*lanes{}}
	t.begin(clocks)
	return t
}

// Append appends an event's packets to dst.
func (t *Trace) Append(dst []byte, e *Event) []byte {
	th := t.thread(e)
	text, marks := cutMarks(e.Text)
	p := point{name: "?", label: "?"}
	if e.Point >= 0 && e.Point < len(t.points) {
		p = t.points[e.Point]
	}
	if len(marks) == 0 || len(text) > 0 {
		t.event(th, e, p, text)
	}
	for _, m := range marks {
		t.mark(th, e, m)
	}
	return t.take(dst)
}

// event writes the output of a handler: the beginning or the end of a slice if its point is one of a
// pair, else an instant; and an instant on the processor's track.
func (t *Trace) event(th *thread, e *Event, p point, text []byte) {
	kind := uint64(instant)
	switch {
	case p.role == opens && len(th.open) < maxOpen:
		kind = sliceBegin
		th.open = append(th.open, p.stem)
	case p.role == closes && t.close(th, e, p.stem):
		kind = sliceEnd
	}
	name := p.label
	switch kind {
	case sliceBegin:
		name = p.name
	case sliceEnd:
		name = ""
	}
	t.put(kind, t.threadTrack(th.task, e.CPU), e.Time, name, p.probe, text, e.Args)
	t.put(instant, t.cpuTrack(e.CPU), e.Time, p.label, "", nil, nil)
}

// close makes the slice of that stem the thread's innermost, closing those in it, and removes it from
// the list. It reports false if there is none.
func (t *Trace) close(th *thread, e *Event, stem string) bool {
	for i := len(th.open) - 1; i >= 0; i-- {
		if th.open[i] != stem {
			continue
		}
		for range th.open[i+1:] { // their ends were not printed
			t.put(sliceEnd, t.threadTrack(th.task, e.CPU), e.Time, "", "", nil, nil)
		}
		th.open = th.open[:i]
		return true
	}
	return false
}

// thread returns the state of the event's thread. All processors' idle loops have the number 0.
func (t *Trace) thread(e *Event) *thread {
	key := e.Task.TID
	if key == 0 {
		key = ^uint32(e.CPU)
	}
	th := t.threads[key]
	if th == nil {
		th = &thread{}
		t.threads[key] = th
	}
	th.task = e.Task
	return th
}

// A mark is a line in the format of Android's atrace.
type mark struct {
	kind  byte     // B, E, I, C, S, F
	parts []string // the text between the bars
}

// marked is the minimal number of bars of a mark, by its letter.
var marked = map[byte]int{'B': 2, 'E': 0, 'I': 2, 'C': 3, 'S': 3, 'F': 3}

// cutMarks returns the text without the lines that are marks, and the marks.
func cutMarks(text []byte) (rest []byte, marks []mark) {
	if !bytes.ContainsRune(text, '|') && !bytes.HasPrefix(text, []byte("E\n")) && !bytes.Contains(text, []byte("\nE\n")) {
		return text, nil
	}
	for line := range bytes.Lines(text) {
		if m, ok := readMark(strings.TrimRight(string(line), "\n")); ok {
			marks = append(marks, m)
		} else {
			rest = append(rest, line...)
		}
	}
	return rest, marks
}

func readMark(line string) (mark, bool) {
	if line == "" || len(line) > 1 && line[1] != '|' {
		return mark{}, false
	}
	bars, ok := marked[line[0]]
	parts := strings.Split(line, "|")[1:]
	if !ok || len(parts) < bars {
		return mark{}, false
	}
	if bars > 2 { // a name may contain bars, the fields behind it do not
		parts = []string{parts[0], strings.Join(parts[1:len(parts)-1], "|"), parts[len(parts)-1]}
	} else if bars == 2 {
		parts = []string{parts[0], strings.Join(parts[1:], "|")}
	}
	return mark{line[0], parts}, true
}

// byMark is the stem of slices that marks open.
const byMark = "B|"

func (t *Trace) mark(th *thread, e *Event, m mark) {
	switch m.kind {
	case 'C':
		t.counter(e, m.parts)
		return
	case 'S', 'F':
		t.lane(e, m.kind == 'S', m.parts)
		return
	}
	on := t.threadTrack(th.task, e.CPU)
	switch m.kind {
	case 'B':
		if len(th.open) >= maxOpen {
			t.put(instant, on, e.Time, label(m.parts[1]), "", nil, nil)
			return
		}
		th.open = append(th.open, byMark)
		t.put(sliceBegin, on, e.Time, label(m.parts[1]), "", nil, nil)
	case 'E':
		if t.close(th, e, byMark) {
			t.put(sliceEnd, on, e.Time, "", "", nil, nil)
		}
	case 'I':
		t.put(instant, on, e.Time, label(m.parts[1]), "", nil, nil)
	}
}

// label returns a name of the script or the kernel for a trace.
func label(name string) string { return profile.Clean(name) }

// printed returns text for an event: clean, with its lines, and truncated.
func printed(text string) string {
	const most = 16 << 10
	if len(text) <= most {
		return profile.CleanText(text)
	}
	return profile.CleanText(text[:most]) + fmt.Sprintf("… and %d bytes more", len(text)-most)
}
