// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"strings"
	"testing"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func TestTracepointPoints(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, pattern := range []string{"sched:sched_switch", "sched_switch", "sch*:sched_swi?ch", "**:sched_swit[c]h"} {
			e, diags := elaborated.OnKernel(t, release, fmt.Sprintf("probe kernel.trace(%q) { }", pattern))
			if len(diags) > 0 || len(e.Probes) != 1 || len(e.Probes[0].Points) != 1 {
				t.Errorf("%s: %v", pattern, diags)
				continue
			}
			pt := e.Probes[0].Points[0]
			if pt.Family != "tracepoint" || pt.Name != `kernel.trace("sched:sched_switch")` || pt.Symbol != "__tracepoint_sched_switch" || pt.SymbolOffset <= 0 || pt.Func != "" {
				t.Errorf("%s: %+v", pattern, pt)
			}
		}
		// Tracepoints without a trace event have no system.
		e, diags := elaborated.OnKernel(t, release, `probe kernel.trace("pelt_cfs_tp") { print($cfs_rq) }`)
		if len(diags) > 0 || e.Probes[0].Points[0].Name != `kernel.trace("pelt_cfs_tp")` {
			t.Errorf("pelt_cfs_tp: %v", diags)
		}
		// Points with different values have handlers of their own, others share one.
		for body, most := range map[string]int{"": 1, "print($$parms)": 600, "print($$name)": 1000} {
			e, diags := elaborated.OnKernel(t, release, `probe kernel.trace("*") { `+body+` }`)
			points := 0
			for _, p := range e.Probes {
				points += len(p.Points)
			}
			if len(diags) > 0 || points < 690 || len(e.Probes) > most || body == "print($$name)" && len(e.Probes) != points {
				t.Errorf("{ %s }: %d probes, %d points, %v", body, len(e.Probes), points, diags)
			}
		}
	}
}

// TestLoadedTracepoints looks for tracepoints of loaded modules, by wildcards.
func TestLoadedTracepoints(t *testing.T) {
	t.Setenv("GOSTAP_DEBUGINFO", t.TempDir())
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct {
			pattern    string
			some, none string
		}{
			{"*", "kernel.trace(\"kvm:kvm_exit\") kvm", "nfsd"},
			{"*", "kernel.trace(\"sched:sched_switch\") ", "nfsd"},
			{"[sk]*:*", "kernel.trace(\"kvm:kvm_exit\") kvm", "nfsd"},
			{"s*:*", "kernel.trace(\"sched:sched_switch\") ", "kvm"},
			{"nfsd:*", "kernel.trace(\"nfsd:nfsd_read_start\") nfsd", "kvm"},
		} {
			target := image.NewTarget(release, false)
			target.Loaded = func() []string { return []string{"kvm", "of_another_place"} }
			script := &syntax.Source{Path: "test.stp", Text: []byte(fmt.Sprintf("probe kernel.trace(%q) { print($$parms) }", c.pattern))}
			env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
			file, diags := syntax.Parse(script, env)
			lib, more := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
			e, last := elaborate.Elaborate([]*syntax.File{file}, lib, target)
			if diags = append(append(diags, more...), last...); len(diags) > 0 {
				t.Errorf("%s: %v", c.pattern, diags)
				continue
			}
			found, modules := false, map[string]bool{}
			for _, p := range e.Probes {
				for _, pt := range p.Points {
					found = found || pt.Name+" "+pt.Image.Module == c.some
					modules[pt.Image.Module] = true
				}
			}
			if !found || modules[c.none] {
				t.Errorf("%s: %s: %t, points of %v", release, c.pattern, found, modules)
			}
		}
	}
}

func TestTracepointErrors(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct{ point, want string }{
		{`kernel.trace("sched_swich")`, `has no tracepoint "sched_swich" (did you mean "sched_switch"`},
		{`kernel.trace("shced:sched_switch")`, `did you mean "sched:sched_switch"`},
		{`kernel.trace("block:sched_switch")`, `did you mean "sched:sched_switch"`},
		{`kernel.trace("sched:completely_else")`, `gostap -l 'kernel.trace("sched:*")'`},
		{`kernel.trace("syscalls:sys_enter_openat")`, `all calls go through raw_syscalls:sys_enter`},
		{`kernel.trace("zzz*")`, `has no tracepoint "zzz*"`},
		{`kernel.trace(1)`, `trace(string)`},
	} {
		_, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, diags, c.want)
		}
	}
	if got := elaborated.Variable(t, release, "vfs_read", "$$name"); !strings.Contains(got, "known only in kernel.trace probes") {
		t.Errorf("$$name in a function: %s", got)
	}
}
