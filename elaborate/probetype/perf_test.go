// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
)

// Counters of processes: which processes, events and names.
func TestPerfProcess(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct {
		point string
		path  string // of the program
		rate  int64
		file  string
	}{
		{`perf.sw.page_faults.sample(3).process("/bin/sh")`, "sh", 1<<47 | 3, ""},
		{`perf.type(1).config(2).process("/bin/sh")`, "sh", 1<<47 | 1000000, ""},
		{`perf.sw.cpu_clock.hz(50).process("/bin/sh")`, "sh", -(1<<47 | 50), ""},
		{`perf.sw.page_faults.process("/bin/sh").counter("faults")`, "sh", 1 << 47, "faults"},
		{`perf.hw.instructions.counter("insns")`, "", 0, "insns"},
	} {
		e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.point, diags)
			continue
		}
		pt := e.Probes[0].Points[0]
		if pt.Family != "perftask" || pt.Args[1] != c.rate || pt.File != c.file || c.path == "" != (pt.Image.Path == "") {
			t.Errorf("%s: %+v", c.point, pt)
		}
	}
	for _, c := range []struct{ script, want string }{
		{`probe perf.sw.page_faults.process { }`, "which program is meant is not known"},
		{`probe perf.sw.page_faults.counter("") { }`, "a counter has a name"},
		{`probe perf.sw.page_faults.sample(1).counter("a") { }`, `"counter" can't follow`},
	} {
		if _, diags := elaborated.OnKernel(t, release, c.script); diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s: %v", c.script, diags)
		}
	}
}

func TestPerf(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct {
		point string
		want  [2]int64
	}{
		{"perf.hw.instructions", [2]int64{1, 1000000}},
		{"perf.sw.cpu_clock.hz(100)", [2]int64{0, -(1<<47 | 100)}},
		{"perf.sw.emulation_faults.sample(1)", [2]int64{8, 1<<47 | 1}},
		{"perf.type(4).config(0x1c2).sample(5)", [2]int64{0x1c2, 4<<47 | 5}},
	} {
		e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.point, diags)
			continue
		}
		if pt := e.Probes[0].Points[0]; pt.Family != "perf" || pt.Args != c.want {
			t.Errorf("%s: %+v", c.point, pt)
		}
	}
	for _, c := range []struct{ point, want string }{
		{"perf.sw.cpu_clock.hz(0)", "the frequency must be from 1 to 10000"},
		{"perf.sw.cpu_clock.sample(0)", "the handler can run at every event"},
		{"perf.type(-1).config(0)", "a type is from 0 to 32767"},
		{"perf.hw.cpu_cicles", `did you mean "cpu_cycles"?`},
	} {
		if _, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }"); diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s: %v", c.point, diags)
		}
	}
}
