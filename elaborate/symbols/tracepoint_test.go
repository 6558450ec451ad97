// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/internal/cache"
)

func TestTracepoints(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, release := range testkernel.Releases(t) {
		k, err := Open(release)
		if err != nil {
			t.Fatal(err)
		}
		made, err := k.Tracepoints()
		if err != nil {
			t.Fatal(err)
		}
		kept, err := k.Tracepoints() // from the cache
		if err != nil || len(kept) != len(made) || len(kept) < 690 {
			t.Fatalf("%s: %d tracepoints, then %d, %v", release, len(made), len(kept), err)
		}
		without := 0
		for i, tp := range kept {
			if tp != made[i] || tp.Name == "" || tp.Offset <= 0 {
				t.Errorf("%+v, at first %+v", tp, made[i])
			}
			if tp.System == "" {
				without++
			}
		}
		if without == 0 || without > 20 {
			t.Errorf("%s: %d tracepoints without a system", release, without)
		}
		for pattern, want := range map[string]int{"sched:sched_switch": 1, "sched_switch": 1, "block:sched_switch": 0, "raw_syscalls:*": 2, "*:sys_e?it": 1} {
			if found := MatchTracepoints(kept, pattern); len(found) != want {
				t.Errorf("%s: %s stands for %v", release, pattern, found)
			}
		}
	}
}

// TestModuleTracepoints: the list of all modules' tracepoints is kept in one file, which is all that
// is read of a thousand modules.
func TestModuleTracepoints(t *testing.T) {
	k, err := Open(testkernel.Releases(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	made, err := k.ModuleTracepoints()
	if err != nil {
		t.Fatal(err)
	}
	if found := MatchTracepoints(made, "kvm:kvm_exit"); len(found) != 1 || found[0].Module != "kvm" {
		t.Errorf("kvm:kvm_exit is %v", found)
	}
	kept, err := filepath.Glob(cache.Path("modules", "*", "all"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, file := range kept {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := cache.Write(cache.Path("modules", filepath.Base(filepath.Dir(file)), "all"), text); err != nil {
			t.Fatal(err)
		}
	}
	again, err := k.ModuleTracepoints()
	if err != nil || !slices.Equal(again, made) {
		t.Errorf("%d tracepoints, then %d, %v", len(made), len(again), err)
	}
	if read, _ := filepath.Glob(cache.Path("modules", "*", "symbols")); len(read) > 0 {
		t.Errorf("%d modules were read again", len(read))
	}
}

func TestObjects(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, release := range testkernel.Releases(t) {
		k, err := Open(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name         string
			size         uint32
			perCPU, init bool
		}{
			{"panic_timeout", 4, false, false},
			{"runqueues", 0, true, false},
			{"TRACE_SYSTEM_ALARM_BOOTTIME", 8, false, true},
		} {
			list, err := k.Objects(c.name)
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %s: %v, %v", release, c.name, list, err)
				continue
			}
			if o := list[0]; o.Name != c.name || o.PerCPU != c.perCPU || o.Init() != c.init || o.Size < c.size || o.Size == 0 {
				t.Errorf("%+v", o)
			}
		}
		if list, err := k.Objects("vfs_read"); err != nil || len(list) > 0 {
			t.Errorf("vfs_read is a function: %v, %v", list, err)
		}
		if near := k.NearestObjects("panic_timeuot", 1); len(near) != 1 || near[0] != "panic_timeout" {
			t.Errorf("near panic_timeuot: %q", near)
		}
	}
}
