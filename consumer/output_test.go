// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"gostap/live"
	"gostap/manifest"
)

func histPayload(index uint32, counts ...int64) []byte {
	payload := binary.LittleEndian.AppendUint32(nil, index)
	for _, n := range counts {
		payload = binary.LittleEndian.AppendUint64(payload, uint64(n))
	}
	return payload
}

func logCounts(full map[int]int64) []int64 {
	counts := make([]int64, 128)
	for i, n := range full {
		counts[i] = n
	}
	return counts
}

// TestHist tests the examples of the language reference, and edge cases.
func TestHist(t *testing.T) {
	linear := &manifest.Hist{Near: 2, Linear: true, High: 10240, Interval: 200}
	linearCounts := make([]int64, 54)
	linearCounts[1], linearCounts[2], linearCounts[8] = 1650, 8, 1
	outside := &manifest.Hist{Near: 2, Linear: true, Low: -5, High: 5, Interval: 5}
	tests := []struct {
		name   string
		hist   *manifest.Hist
		counts []int64
		want   string
	}{
		{"linear", linear, linearCounts, `
value |-------------------------------------------------- count
    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1650
  200 |                                                      8
  400 |                                                      0
  600 |                                                      0
      ~
 1000 |                                                      0
 1200 |                                                      0
 1400 |                                                      1
 1600 |                                                      0
 1800 |                                                      0

`},
		{"log", &manifest.Hist{Near: 2}, logCounts(map[int]int64{70: 254, 71: 3, 72: 2, 73: 2, 74: 4, 75: 16689}), `
value |-------------------------------------------------- count
    8 |                                                       0
   16 |                                                       0
   32 |                                                     254
   64 |                                                       3
  128 |                                                       2
  256 |                                                       2
  512 |                                                       4
 1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@  16689
 2048 |                                                       0
 4096 |                                                       0

`},
		{"few", &manifest.Hist{Near: 2}, logCounts(map[int]int64{63: 3, 65: 1}), `
value |-------------------------------------------------- count
   -4 |                                                   0
   -2 |                                                   0
   -1 |@@@                                                3
    0 |                                                   0
    1 |@                                                  1
    2 |                                                   0
    4 |                                                   0

`},
		{"outside", outside, []int64{2, 1, 0, 0, 1}, `
value |-------------------------------------------------- count
  <-5 |@@                                                 2
   -5 |@                                                  1
    0 |                                                   0
    5 |                                                   0
   >5 |@                                                  1

`},
		{"ends", &manifest.Hist{Near: 2}, logCounts(map[int]int64{0: 1, 127: 1}), `
               value |-------------------------------------------------- count
-9223372036854775808 |@                                                  1
-4611686018427387904 |                                                   0
-2305843009213693952 |                                                   0
                     ~
 1152921504606846976 |                                                   0
 2305843009213693952 |                                                   0
 4611686018427387904 |@                                                  1

`},
		{"empty", &manifest.Hist{Near: 2}, logCounts(nil), `
value |-------------------------------------------------- count

`},
	}
	for _, test := range tests {
		if got := string(drawHist(nil, test.hist, test.counts, false)); got != test.want[1:] {
			t.Errorf("%s:\n%s", test.name, got)
		}
	}
}

func sinkManifest() *manifest.Manifest {
	m := printManifest()
	m.Formats = append(m.Formats, manifest.Format{Format: "%5s|%-4d|%x%%\n", Args: "sll"}, manifest.Format{Format: "x\n"})
	m.Hists = []manifest.Hist{{}, {Linear: true, High: 10, Interval: 10}}
	return m
}

type testRecord struct {
	kind    uint16
	payload []byte
}

func sinkRecords() []testRecord {
	second := binary.LittleEndian.AppendUint32(nil, 1)
	second = append(second, 2, 0, 'a', 'b')
	second = binary.LittleEndian.AppendUint64(second, math.MaxUint64)
	second = binary.LittleEndian.AppendUint64(second, 255)
	return []testRecord{
		{recPrint, printPayload("dd", -1)},
		{recPrint, second},
		{recPrint, []byte{2, 0, 0, 0}},
		{recText, []byte("t\"\\\n\t\x01é\xff\x7f")},
		{recHist, histPayload(1, 0, 3, 0)},
	}
}

// TestText writes a record of each kind.
func TestText(t *testing.T) {
	var text bytes.Buffer
	out, err := newOutput(&Config{Output: &text}, sinkManifest(), new(clock), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sinkRecords() {
		out.record(0, &record{kind: r.kind}, r.payload)
	}
	out.flush()
	want := "dd -1\n   ab|-1  |ff%\nx\nt\"\\\n\t\x01é\xff\x7fvalue |" + strings.Repeat("-", 50) + " count\n    0 |@@@" + strings.Repeat(" ", 48) + "3\n\n"
	if text.String() != want || out.bad != 0 {
		t.Errorf("%q, %d bad\nwant %q", text.String(), out.bad, want)
	}
}

// TestJSON writes a record of each kind, and decodes the output.
func TestJSON(t *testing.T) {
	var text bytes.Buffer
	out, err := newOutput(&Config{Output: &text, JSON: true}, sinkManifest(), &clock{now: 1000, ns: 5000, khz: 2e6}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range append(sinkRecords(), testRecord{recSystem, []byte("date")}) {
		out.record(3, &record{kind: r.kind, point: uint16(i), time: 1000 + 8*uint64(i)}, r.payload)
	}
	out.flush()
	want := `{"time":5000,"cpu":3,"probe":"kernel.function(\"vfs_read\")","format":"%s %d\n","args":["dd",-1]}
{"time":5004,"cpu":3,"format":"%5s|%-4d|%x%%\n","args":["ab",-1,255]}
{"time":5008,"cpu":3,"format":"x\n","args":[]}
{"time":5012,"cpu":3,"text":"t\"\\\n\t\u0001é` + "\ufffd" + `\u007f"}
{"time":5016,"cpu":3,"histogram":[{"value":0,"count":3}]}
{"time":5020,"cpu":3,"system":"date"}
`
	if text.String() != want {
		t.Errorf("%s\nwant %s", text.String(), want)
	}
	for line := range strings.Lines(text.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// TestBadRecords: records that are too short, or have invalid references, are counted and harmless.
func TestBadRecords(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var text bytes.Buffer
		out, err := newOutput(&Config{Output: &text, JSON: asJSON}, sinkManifest(), new(clock), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		bad := func(kind uint16, payload []byte) {
			out.record(0, &record{kind: kind}, payload)
			if n++; out.bad != n {
				t.Errorf("kind %d, %q was taken", kind, payload)
				out.bad = n
			}
		}
		whole := printPayload("dd", 1)
		for i := range whole {
			bad(recPrint, whole[:i])
		}
		bad(recPrint, []byte{9, 0, 0, 0})
		bad(recHist, histPayload(2, 1))
		bad(recHist, histPayload(0, 1)[:11])
		bad(99, nil)
		if out.flush(); text.Len() != 0 {
			t.Errorf("%q was written", text.String())
		}
	}
}

func TestClock(t *testing.T) {
	for _, c := range []clock{{now: 500, ns: 100000}, {now: 1 << 60, ns: 1 << 50, khz: 2399998}} {
		if got := c.nanoseconds(c.now); got != c.ns {
			t.Errorf("%d", got)
		}
		before, after := c.nanoseconds(c.now-400), c.nanoseconds(c.now+400)
		if before >= c.ns || after <= c.ns || before-c.ns != c.ns-after {
			t.Errorf("%d %d %d", before, c.ns, after)
		}
	}
	// An hour of ticks does not overflow.
	c := clock{khz: 3e6}
	if got := c.nanoseconds(3600 * 3e9); got != 3600e9 {
		t.Errorf("%d", got)
	}
}

// TestClosedPipe: a pipe whose reader has gone ends the session without an error.
func TestClosedPipe(t *testing.T) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cfg := &Config{Output: w, Stderr: &stderr}
	s := &supervisor{cfg: cfg, messages: newMessenger(cfg), ends: make(chan struct{}, 1)}
	out, err := newOutput(cfg, sinkManifest(), new(clock), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.fail = s.outputFailed
	for range 3 {
		out.record(0, &record{kind: recText}, []byte("x"))
		out.flush()
	}
	if len(s.ends) != 1 || s.messages.failed() || stderr.Len() != 0 {
		t.Errorf("%d ends, %q", len(s.ends), stderr.String())
	}
}

// TestSystemOrder: the output of a command of system() is where the script called it.
func TestSystemOrder(t *testing.T) {
	path := t.TempDir() + "/out"
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &Config{Output: f}
	out, err := newOutput(cfg, sinkManifest(), new(clock), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.system = (&systemCommands{stdout: f, messages: newMessenger(cfg)}).run
	out.record(0, &record{kind: recText}, []byte("one\n"))
	out.record(0, &record{kind: recSystem}, []byte("sleep 0.1; echo two"))
	out.record(0, &record{kind: recText}, []byte("three\n"))
	out.flush()
	got, _ := os.ReadFile(path)
	if string(got) != "one\ntwo\nthree\n" {
		t.Errorf("%q", got)
	}
}

func TestMessenger(t *testing.T) {
	var w bytes.Buffer
	var told []string
	m := newMessenger(&Config{Stderr: &w, Events: func(e live.Event) { told = append(told, fmt.Sprint(e.Level, e.CPU, e.Probe, e.Text)) }})
	m.message(message{kind: msgError, text: "division by 0", near: "near operator '/' at x.stp:3:5", point: "begin"})
	m.message(message{kind: msgError, text: "boom", point: "end"})
	for range 9 {
		m.message(message{kind: msgWarning, text: "slow"})
	}
	m.message(message{kind: msgWarning, text: "other"})
	if !m.failed() {
		t.Error("no failure")
	}
	want := "ERROR: division by 0 near operator '/' at x.stp:3:5\nERROR: boom in probe end\n" +
		strings.Repeat("WARNING: slow\n", 5) + "(the last message came 4 times more)\nWARNING: other\n"
	if w.String() != want {
		t.Errorf("%q\nwant %q", w.String(), want)
	}
	if want := "2 -1begindivision by 0"; len(told) != 12 || !strings.HasPrefix(told[0], want) || told[11] != "1 -1other" {
		t.Errorf("told %q", told)
	}
	w.Reset()
	quiet := newMessenger(&Config{Stderr: &w, NoWarnings: true})
	quiet.warning("x")
	if w.Len() != 0 || quiet.failed() {
		t.Error("a warning under -w")
	}
}

func TestPerCPU(t *testing.T) {
	total, list := perCPU([]uint64{0, 5, 0, 7})
	if total != 12 || !reflect.DeepEqual(list, "cpu1: 5, cpu3: 7") {
		t.Errorf("%d %q", total, list)
	}
}

// TestSwitchFile: output before and after switch_file() is in two files.
func TestSwitchFile(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		dir := t.TempDir()
		files, err := OpenFiles(func() string { return dir + "/out" }, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		out, err := newOutput(&Config{Output: files, JSON: asJSON}, sinkManifest(), new(clock), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		out.record(0, &record{kind: recText, point: noPoint}, []byte("one\n"))
		out.record(0, &record{kind: recSwitchFile, point: noPoint}, nil)
		out.record(0, &record{kind: recText, point: noPoint}, []byte("two\n"))
		out.flush()
		got := contents(t, dir)
		if len(got) != 2 || strings.Count(got["out"], "\n") != 1 || !strings.Contains(got["out"], "one") || !strings.Contains(got["out.1"], "two") || out.bad != 0 {
			t.Errorf("JSON %t: %q, %d bad", asJSON, got, out.bad)
		}
	}
}
