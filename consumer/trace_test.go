// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"encoding/binary"
	"testing"

	"gostap/manifest"
	"gostap/output/perfetto"
)

// TestTrace passes records in the order of handlers: each run becomes one event, with its thread and
// the named arguments.
func TestTrace(t *testing.T) {
	m := &manifest.Manifest{Tasks: true, Points: []manifest.Point{{Name: "timer.s(1)"}},
		Formats: []manifest.Format{{Format: "n=%*d to %s name: %s\n", Args: "llss"}, {Format: "more\n"}}}
	var trace Trace
	if _, err := newOutput(&Config{Collector: &trace}, m, &clock{now: 100, ns: 5000}, nil, nil); err != nil {
		t.Fatal(err)
	}
	var have []perfetto.Event
	s := &trace.sink
	feed := func(cpu int, time uint64, kind uint16, payload []byte) {
		if time != s.time && s.begun {
			have = append(have, s.event)
		}
		if _, ok := s.record(nil, cpu, &record{kind: kind, time: time}, payload); !ok {
			t.Errorf("a record of kind %d is refused", kind)
		}
	}
	in := func(tid uint32, name string) []byte {
		p := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 7), tid)
		return append(append(p, (name + "\x00garbage_________")[:16]...), "sh\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	print := binary.LittleEndian.AppendUint32(nil, 0)
	print = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(print, 5), 42)
	print = append(print, "\x01\x00x\x03\x00abc"...)
	feed(0, 100, recTask, in(8, "dd"))
	feed(0, 100, recPrint, print)
	feed(0, 100, recPrint, []byte{1, 0, 0, 0})
	feed(1, 110, recTask, in(9, "cat"))
	feed(1, 110, recSystem, []byte("date"))
	feed(1, 120, recText, []byte("t"))
	have = append(have, s.event)
	want := []perfetto.Event{
		{Time: 5000, Task: perfetto.Task{PID: 7, TID: 8, Thread: "dd", Process: "sh"}, Text: []byte("n=   42 to x name: abc\nmore\n"),
			Args: []perfetto.Arg{{Name: "n", Number: 42}, {Name: "name", Text: []byte("abc")}}},
		{Time: 5010, CPU: 1, Task: perfetto.Task{PID: 7, TID: 9, Thread: "cat", Process: "sh"}, Text: []byte("system: date\n")},
		{Time: 5020, CPU: 1, Text: []byte("t")},
	}
	if len(have) != len(want) {
		t.Fatalf("%d events: %+v", len(have), have)
	}
	for i, w := range want {
		h := have[i]
		if h.Time != w.Time || h.CPU != w.CPU || h.Task != w.Task || len(h.Args) != len(w.Args) {
			t.Errorf("event %d is %+v, not %+v", i, h, w)
		}
	}
	if rest := trace.Rest(); !bytes.Contains(rest, []byte("timer.s(1)")) || len(trace.Rest()) > 0 {
		t.Errorf("what is left at the end: %q", rest)
	}
	m.Tasks = false
	if _, err := newOutput(&Config{Collector: &trace}, m, new(clock), nil, nil); err == nil {
		t.Error("a module whose records name no threads is accepted")
	}
}
