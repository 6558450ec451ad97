// SPDX-License-Identifier: GPL-2.0-or-later

package perfetto

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode"

	"gostap/tests/trace"
)

var dd = Task{PID: 7, TID: 8, Thread: "dd", Process: "sh"}

// script returns a trace of events of handlers of these points.
func script(t *testing.T, points []string, events ...Event) []byte {
	writer := New(points, Clocks{1, 2, 3})
	var out []byte
	for i := range events {
		out = writer.Append(out, &events[i])
	}
	return out
}

func compare(t *testing.T, have, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

// A return closes the slice that its function's entry has opened, on the same thread, even if inner
// slices are open.
func TestPairs(t *testing.T) {
	points := []string{
		`kernel.function("vfs_read@fs/read_write.c:450").call`, `kernel.function("vfs_read@fs/read_write.c:450").return.maxactive(9)`,
		`process("/bin/x").function("ns::f(int)@x.cc:3")`, `process("/bin/x").function("ns::f(int)@x.cc:3").return`,
		`kernel.trace("irq:softirq_entry")`, `kernel.trace("irq:softirq_exit")`, `kernel.function("alone").return`, `timer.s(1)`, `begin`, `end`,
	}
	other := Task{PID: 7, TID: 9, Thread: "helper", Process: "sh"}
	at := func(time uint64, point int, task Task, text string, args ...Arg) Event {
		return Event{Time: time, CPU: int(time) % 2, Task: task, Point: point, Text: []byte(text), Args: args}
	}
	written := script(t, points,
		at(10, 0, dd, "reads 5\n", Arg{Name: "count", Number: -5}),
		at(11, 0, other, "\n"),
		at(12, 2, dd, "calls\n"), // its return prints nothing
		at(13, 4, dd, "in\n"), at(14, 5, dd, "out\n"),
		at(15, 1, dd, "line\nline\x1b\xff\n", Arg{Name: "name", Text: []byte("a\x00b")}),
		at(16, 1, dd, "once more\n"),
		at(17, 6, dd, "x"), at(18, 7, Task{Thread: "swapper/0"}, "tick"), at(19, 3, other, "no entry"), at(20, -1, dd, "?"))
	compare(t, trace.Read(t, written, false), `
[sh 7/dd 8] 10+5 vfs_read {probe=kernel.function("vfs_read@fs/read_write.c:450").call}{text=reads 5}{count=-5}{probe=kernel.function("vfs_read@fs/read_write.c:450").return.maxactive(9)}{text=line
line��}{name=a�b}
[sh 7/helper 9] 11+? vfs_read {probe=kernel.function("vfs_read@fs/read_write.c:450").call}
[sh 7/dd 8] 12+3 ns::f(int) {probe=process("/bin/x").function("ns::f(int)@x.cc:3")}{text=calls}
[sh 7/dd 8] 13+1 softirq_entry {probe=kernel.trace("irq:softirq_entry")}{text=in}{probe=kernel.trace("irq:softirq_exit")}{text=out}
[sh 7/dd 8] 16 vfs_read returns {probe=kernel.function("vfs_read@fs/read_write.c:450").return.maxactive(9)}{text=once more}
[sh 7/dd 8] 17 alone returns {probe=kernel.function("alone").return}{text=x}
[sh 7/helper 9] 19 ns::f(int) returns {probe=process("/bin/x").function("ns::f(int)@x.cc:3").return}{text=no entry}
[sh 7/dd 8] 20 ? {text=?}`)
	if cpus := trace.Read(t, written, true); !strings.Contains(cpus, "[CPUs/CPU 0] 18 timer.s(1) {probe=timer.s(1)}{text=tick}") || !strings.Contains(cpus, "[CPUs/CPU 1] 15 vfs_read returns") {
		t.Errorf("on processors' tracks:\n%s", cpus)
	}
}

func TestNames(t *testing.T) {
	for probe, want := range map[string]string{
		`kernel.function("__x64_sys_read@fs/read_write.c:620")`: "sys_read", `kernel.function("__ia32_compat_sys_open")`: "compat_sys_open",
		`kernel.trace("sched:sched_switch")`: "sched_switch", `process("/bin/a:b").mark("x:y")`: "y", `process("/bin/x").plt("malloc")`: "malloc",
		`process("/bin/x").function("a::b<c::d>(int)@f.cc:1")`: "a::b<c::d>(int)", `module("ext4").statement("f@fs/ext4/x.c:1")`: "f",
		`timer.ms(5)`: "timer.ms(5)", `process("/bin/x").begin`: `process("/bin/x").begin`, `netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_IPV4")`: `netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_IPV4")`,
	} {
		if name := pair([]string{probe})[0].name; name != want {
			t.Errorf("%s is %s, not %s", probe, name, want)
		}
	}
}

// Lines in atrace's format become events, not text.
func TestMarks(t *testing.T) {
	at := func(time uint64, text string) Event {
		return Event{Time: time, Task: dd, Point: 0, Text: []byte(text)}
	}
	compare(t, trace.Read(t, script(t, []string{"timer.s(1)"},
		at(1, "B|7|outer|x\n"), at(2, "C|7|queued|3\nC|0|load|-4\nC|0|bad|many\n"), at(3, "B|7|inner\nsaid\n"), at(4, "E\nE|7\nE\n"),
		at(5, "S|7|io|1\n"), at(6, "S|7|io|2\n"), at(7, "F|7|io|1\n"), at(8, "S|7|io|3\n"), at(9, "F|7|io|2\nF|7|io|9\n"), at(10, "F|7|io|3\n"),
		at(11, "I|7|now\nBut this\nE-mail\nB|\n")), false), `
[sh 7/dd 8] 1+3 outer|x
[sh 7/queued] 2 = 3
[load] 2 = -4
[sh 7/dd 8] 3 timer.s(1) {probe=timer.s(1)}{text=said}
[sh 7/dd 8] 3+1 inner
[sh 7/io] 5+2 io {cookie=1}
[sh 7/io] 6+3 io {cookie=2}
[sh 7/io] 8+2 io {cookie=3}
[sh 7/dd 8] 11 timer.s(1) {probe=timer.s(1)}{text=But this
E-mail
B|}
[sh 7/dd 8] 11 now`)
}

// A thread has no track unless there is something on it: one that a counter's value came from has none.
func TestTracks(t *testing.T) {
	written := script(t, []string{"timer.s(1)"}, Event{Task: dd, Text: []byte("C|0|load|4\nS|0|io|1\n")})
	if !bytes.Contains(written, []byte("load")) || bytes.Contains(written, []byte("dd")) {
		t.Errorf("%q", written)
	}
}

// Slices that never end do not grow without bounds, and long text is truncated.
func TestBounds(t *testing.T) {
	points := []string{`kernel.function("f")`, `kernel.function("f").return`}
	writer := New(points, Clocks{})
	var out []byte
	for i := range uint64(3 * maxOpen) {
		out = writer.Append(out, &Event{Time: i, Task: dd, Point: 0, Text: []byte("B|7|mark\n" + strings.Repeat("x", 40<<10))})
	}
	if n := len(writer.threads[8].open); n != maxOpen {
		t.Errorf("%d slices are open", n)
	}
	text := trace.Read(t, out, false)
	if open := strings.Count(text, "+?"); open != maxOpen || !strings.Contains(text, "xx… and 24576 bytes more") {
		t.Errorf("%d slices are open in the trace", open)
	}
}

// FuzzNames uses any bytes as names of threads and probes, and as output.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"vfs_read", "B|1|x\nE\n", "C|1|\xff|3", "S|1|\x1b|c\nF|1|\x1b|c", "\u202egnp.exe", "a\tb", "C|9999999999|x|9999999999999999999999", "|||\nE|"} {
		f.Add(s, s, uint32(len(s)))
	}
	f.Fuzz(func(t *testing.T, name, text string, pid uint32) {
		task := Task{PID: pid, TID: pid &^ 1, Thread: name, Process: name}
		written := script(t, []string{name, name + ".return"},
			Event{Time: 1, Task: task, Text: []byte(text), Args: []Arg{{Name: "a", Text: []byte(text)}, {Name: "n", Number: math.MinInt64}}},
			Event{Time: 2, Task: task, Text: []byte(text)}, Event{Time: 3, Task: task, Point: 1, Text: []byte(text)})
		for _, r := range trace.Read(t, written, true) {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%U is in the trace", r)
			}
		}
	})
}
