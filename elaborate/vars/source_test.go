// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/internal/arch"
)

// TestSourcesAgree compares parameters by BTF and by DWARF.
func TestSourcesAgree(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	info, err := image.NewTarget(release, false).Debuginfo().Any()
	if err != nil {
		t.Fatal(err)
	}
	all := info.Match(func(string) bool { return true }, func(file string) bool {
		return strings.HasPrefix(file, "fs/") || strings.HasPrefix(file, "mm/") || strings.HasPrefix(file, "net/core/")
	})
	functions, compared, differ := 0, 0, 0
	for i := 0; i < len(all) && functions < 200; i += 17 {
		f := all[i]
		if len(info.Lookup(f.Name)) != 1 || len(f.Instances()) != 1 || f.Instances()[0].Inlined || f.Instances()[0].Symbol != f.Name {
			continue
		}
		in := f.Instances()[0]
		s, err := info.Scope(in, in.Entry)
		if err != nil {
			t.Fatal(err)
		}
		var print []string
		for _, v := range s.Variables() {
			if v.Param {
				print = append(print, "print($"+v.Name+")")
			}
		}
		if len(print) == 0 {
			continue
		}
		body := " { " + strings.Join(print, " ") + " }"
		byBTF, d1 := elaborated.OnDebuginfo(t, release, fmt.Sprintf("probe kernel.function(%q)%s", f.Name, body))
		byDWARF, d2 := elaborated.OnDebuginfo(t, release, fmt.Sprintf("probe kernel.statement(%q)%s", f.Name+"@"+f.File, body))
		if len(d1) > 0 || len(d2) > 0 {
			continue // it can't be probed
		}
		functions++
		one, other := elaborated.Values(byBTF.Probes[0]), elaborated.Values(byDWARF.Probes[0])
		for k := range one {
			got := asArgument(other[k])
			if strings.Contains(got, "optimized") || strings.Contains(got, "it was there") {
				continue // a parameter that is not used
			}
			compared++
			if one[k] != got && !strings.Contains(got, "in registers") {
				t.Logf("%s: %s is %s by BTF, %s by DWARF", f.Name, print[k], one[k], other[k])
				differ++
			}
		}
	}
	t.Logf("%d functions, %d parameters", functions, compared)
	// If a function changes a parameter at once, DWARF has the new value already.
	if differ > compared/100 {
		t.Errorf("%d of %d differ", differ, compared)
	}
	if functions < 100 || compared < functions {
		t.Errorf("only %d functions and %d parameters were compared", functions, compared)
	}
}

// asArgument replaces the registers of arguments by BTF's argument numbers.
func asArgument(x string) string {
	for arg, reg := range arch.X86_64.Arguments {
		x = regexp.MustCompile(fmt.Sprintf(`\breg%d\b`, reg)).ReplaceAllString(x, fmt.Sprintf("arg%d", arg))
	}
	return x
}

func TestSourceValues(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	for _, c := range []struct{ script, want string }{
		{`probe kernel.function("new_sync_read").inline { print($len) print($filp->f_pos) }`, ``},
		{`probe kernel.statement("vfs_read@fs/read_write.c+12") { print($nosuch) }`, `no $nosuch in vfs_read: here there are $`},
		{`probe kernel.statement("vfs_read@fs/read_write.c+27") { print($ret) }`, `it is nowhere at this address`},
		{`probe begin { print(@var("init_task@init/init_task.c")->pid) }`, ``},
		{`probe begin { print(@var("nosuch@init/init_task.c")) }`, `no file "init/init_task.c" has a variable nosuch`},
		{`probe begin { print(@var("runqueues@kernel/sched/core.c")->nr_running) }`, `u8[(&__per_cpu_offset + ({cpu()} * 8))]`},
		{`probe module("st").function("st_do_scsi") { print($STp) }`, `arg1`}, // st_do_scsi.constprop.0 in 6.1, which is not in BTF
	} {
		e, diags := elaborated.OnDebuginfo(t, release, c.script)
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.script, diags)
			continue
		}
		got := strings.Join(elaborated.Values(e.Probes[0]), "; ")
		if c.want == "" && strings.Contains(got, "error") || !strings.Contains(got, c.want) {
			t.Errorf("%s\n got  %s\n want %s", c.script, got, c.want)
		}
	}
}
