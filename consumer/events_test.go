// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"gostap/live"
	"gostap/manifest"
)

// TestEvents runs handlers that print: the output of one run is an event, with its stacks apart; stacks
// alone are none.
func TestEvents(t *testing.T) {
	var text bytes.Buffer
	var events []live.Event
	m := sinkManifest()
	m.Points = append(m.Points, manifest.Point{Name: "timer.s(1)"})
	out, err := newOutput(&Config{Output: &text, Events: func(e live.Event) { events = append(events, e) }, Samples: new(Stacks)}, m, &clock{khz: 1e6}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	stack := stackPayload(0, 0xffffffff81000110)
	for _, r := range []struct {
		cpu    int
		record record
		text   []byte
	}{
		{0, record{kind: recText, time: 1e9}, []byte("a ")}, {0, record{kind: recText, time: 1e9}, []byte("b\n")}, {0, record{kind: recStack, time: 1e9}, stack},
		{1, record{kind: recText, time: 1e9, point: 1}, []byte("c\xff\n")},
		{1, record{kind: recStack, time: 2e9}, stack},
		{1, record{kind: recText, time: 3e9}, []byte("d")},
	} {
		out.record(r.cpu, &r.record, r.text)
	}
	out.flush()
	var got string
	for _, e := range events {
		got += fmt.Sprintf("%d %s %q %d\n", e.CPU, e.Probe, e.Text, bytes.Count([]byte(e.Stack), []byte("\n")))
	}
	want := "0 kernel.function(\"vfs_read\") \"a b\\n\" 1\n1 timer.s(1) \"c\\xff\\n\" 0\n1 kernel.function(\"vfs_read\") \"d\" 0\n"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if apart := events[2].Time.Sub(events[0].Time).Round(time.Millisecond); apart != 2*time.Second {
		t.Errorf("runs two seconds apart are %v apart", apart)
	}
	if p := bytes.Count(text.Bytes(), []byte("0xffffffff81000110")); p != 2 {
		t.Errorf("what is written is another: %s", text.String())
	}
}

// TestTake takes stacks while they are added: none is lost, none is taken twice.
func TestTake(t *testing.T) {
	var stacks Stacks
	kallsyms := "ffffffff81000000 T outer\nffffffff81000100 T inner\n"
	to, err := stacks.newSink(&sources{manifest: new(manifest.Manifest)})
	if err != nil {
		t.Fatal(err)
	}
	s := to.(*stackSink)
	s.symbols, _ = testSymbols(&kallsyms)
	const runs = 20000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range runs {
			s.record(nil, 0, &record{kind: recStack, time: uint64(i)}, stackPayload(0, 0xffffffff81000000+uint64(i)%2*0x100))
		}
	}()
	total := int64(0)
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		total += stacks.Take().Root.Total()
	}
	if total += stacks.Profile().Root.Total(); total != runs {
		t.Errorf("%d samples of %d", total, runs)
	}
}
