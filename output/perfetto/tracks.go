// SPDX-License-Identifier: GPL-2.0-or-later

package perfetto

import (
	"fmt"
	"strconv"
)

// The kind of a track is in the upper half of its uuid.
const (
	ofProcess uint64 = iota + 1
	ofThread
	ofCPU
	ofCounter
	ofLane
)

func uuid(kind uint64, n uint32) uint64 { return kind<<32 | uint64(n) }

// allCPUs is the parent of the processors' tracks.
var allCPUs = uuid(ofCPU, 1<<31)

// tracks are those that have been described.
type tracks struct {
	named    map[uint64]string // the name of each track, by uuid
	counters map[string]uint64 // by process and name
	nlanes   uint32
}

// describe writes the description of a track, unless that has been done with the same name.
func (t *Trace) describe(id, parent uint64, name string, as func(d message) message) uint64 {
	if was, ok := t.named[id]; ok && was == name {
		return id
	}
	if t.named == nil {
		t.named = map[uint64]string{}
	}
	t.named[id] = name
	t.descriptor(id, parent, name, as)
	return id
}

// threadTrack is the track of a thread; for an idle loop it is the processor's.
func (t *Trace) threadTrack(task Task, cpu int) uint64 {
	if task.TID == 0 {
		return t.cpuTrack(cpu)
	}
	process, name := t.processTrack(task.PID, task.Process), label(task.Thread)
	return t.describe(uuid(ofThread, task.TID), process, name, func(d message) message {
		thread := message(nil).varint(1, uint64(task.PID)).varint(2, uint64(task.TID)).text(5, name) // ThreadDescriptor: pid, tid, thread_name
		return d.bytes(4, thread)                                                                    // thread
	})
}

// processTrack is the track of a process, the parent of its threads' tracks. If name is "", the
// previous name is kept.
func (t *Trace) processTrack(pid uint32, name string) uint64 {
	id := uuid(ofProcess, pid)
	if name = label(name); name == "" {
		name = t.named[id]
	}
	return t.describe(id, 0, name, func(d message) message {
		return d.bytes(3, message(nil).varint(1, uint64(pid)).text(6, name)) // process; ProcessDescriptor: pid, process_name
	})
}

// cpuTrack is the track of a processor.
func (t *Trace) cpuTrack(cpu int) uint64 {
	const explicitly = 3
	id := uuid(ofCPU, uint32(cpu))
	if _, ok := t.named[id]; ok {
		return id
	}
	t.describe(allCPUs, 0, "CPUs", func(d message) message { return d.varint(11, explicitly) })                              // child_ordering
	return t.describe(id, allCPUs, fmt.Sprintf("CPU %d", cpu), func(d message) message { return d.varint(12, uint64(cpu)) }) // sibling_order_rank
}

// parent is the parent track of a process's counters and lanes, by the process's id in a mark; for 0
// there is none.
func (t *Trace) parent(pid string) uint64 {
	n, err := strconv.ParseUint(pid, 10, 31)
	if err != nil || n == 0 {
		return 0
	}
	return t.processTrack(uint32(n), "")
}

// counter handles the mark C|PID|NAME|VALUE.
func (t *Trace) counter(e *Event, parts []string) {
	value, err := strconv.ParseInt(parts[2], 0, 64)
	if err != nil {
		return
	}
	key := parts[0] + "|" + parts[1]
	id, ok := t.counters[key]
	if !ok {
		if t.counters == nil {
			t.counters = map[string]uint64{}
		}
		id = uuid(ofCounter, uint32(len(t.counters)))
		t.counters[key] = id
		t.describe(id, t.parent(parts[0]), label(parts[1]), func(d message) message { return d.bytes(8, nil) }) // counter
	}
	t.count(id, e.Time, value)
}

// A laneKey is the key of slices that differ only in their cookies.
type laneKey struct{ pid, name string }

// lanes are the tracks of slices that may overlap: for each the cookie of the open slice, "" if none is
// open.
type lanes struct {
	ids  []uint64
	open []string
}

// lane handles the marks S|PID|NAME|COOKIE and F|PID|NAME|COOKIE: a slice that may begin on one thread
// and end on another.
func (t *Trace) lane(e *Event, begins bool, parts []string) {
	key, cookie := laneKey{parts[0], parts[1]}, "#"+parts[2]
	l := t.byKey[key]
	if l == nil {
		l = &lanes{}
		t.byKey[key] = l
	}
	want := ""
	if !begins {
		want = cookie
	}
	i := 0
	for i < len(l.open) && l.open[i] != want {
		i++
	}
	name := label(parts[1])
	switch {
	case !begins && i == len(l.open): // its beginning was not printed
	case !begins:
		l.open[i] = ""
		t.put(sliceEnd, l.ids[i], e.Time, "", "", nil, nil)
	default:
		if i == len(l.open) {
			id := uuid(ofLane, t.nlanes)
			t.nlanes++
			t.describe(id, t.parent(parts[0]), name, func(d message) message { return d })
			l.ids, l.open = append(l.ids, id), append(l.open, "")
		}
		l.open[i] = cookie
		t.put(sliceBegin, l.ids[i], e.Time, name, "", nil, []Arg{{Name: "cookie", Text: []byte(parts[2])}})
	}
}
