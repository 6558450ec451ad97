// SPDX-License-Identifier: GPL-2.0-or-later

package perfetto

import (
	"fmt"
	"strconv"
)

// A track's uuid holds in its upper half what kind it is of.
const (
	ofProcess uint64 = iota + 1
	ofThread
	ofCPU
	ofCounter
	ofLane
)

func uuid(kind uint64, n uint32) uint64 { return kind<<32 | uint64(n) }

// allCPUs is the track that the processors' are under.
var allCPUs = uuid(ofCPU, 1<<31)

// tracks are those that have been described.
type tracks struct {
	named    map[uint64]string // what a track has been called, by uuid
	counters map[string]uint64 // by process and name
	nlanes   uint32
}

// describe describes a track, if that isn't done or it had another name.
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

// threadTrack is the track of a thread; of an idle loop it is its processor's.
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

// processTrack is the track of a process, which its threads' belong to. Its name is kept where none is given.
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

// parent is the track that counters and lanes of a process are under, by its number as a mark has it; 0 for all.
func (t *Trace) parent(pid string) uint64 {
	n, err := strconv.ParseUint(pid, 10, 31)
	if err != nil || n == 0 {
		return 0
	}
	return t.processTrack(uint32(n), "")
}

// counter takes the mark C|PID|NAME|VALUE.
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

// A laneKey is what slices have in common that a cookie tells apart.
type laneKey struct{ pid, name string }

// lanes are the tracks of slices that may overlap: each is the cookie of the one that is open there, "" if none is.
type lanes struct {
	ids  []uint64
	open []string
}

// lane takes the marks S|PID|NAME|COOKIE and F|PID|NAME|COOKIE: a slice that may begin on one thread and end on another.
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
