// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
)

func TestFunctionPoints(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct{ point, family, name, symbol string }{
			{`kernel.function("vfs_read")`, "function", `kernel.function("vfs_read")`, "vfs_read"},
			{`kernel.function("vfs_read").call`, "function", `kernel.function("vfs_read").call`, "vfs_read"},
			{`kernel.function("vfs_read").exported`, "function", `kernel.function("vfs_read").exported`, "vfs_read"},
			{`kernel.function("vfs_read").return`, "return", `kernel.function("vfs_read").return`, "vfs_read"},
			{`kernel.function("vfs_read").return.maxactive(7)`, "return", `kernel.function("vfs_read").return`, "vfs_read"},
			{`kprobe.function("vfs_read")`, "function", `kprobe.function("vfs_read")`, "vfs_read"},
			{`kernel.function("clear_page_erms")`, "kprobe", `kernel.function("clear_page_erms")`, "clear_page_erms"},
			{`kernel.function("clear_page_erms").return`, "return", `kernel.function("clear_page_erms").return`, "clear_page_erms"},
		} {
			e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
			if len(diags) > 0 || len(e.Probes) != 1 || len(e.Probes[0].Points) != 1 {
				t.Errorf("%s: %v", c.point, diags)
				continue
			}
			pt := e.Probes[0].Points[0]
			if pt.Family != c.family || pt.Name != c.name || pt.Symbol != c.symbol || pt.Func != c.symbol || pt.SymbolOffset <= 0 || pt.Registers {
				t.Errorf("%s: %+v", c.point, pt)
			}
			if want := map[bool]int64{true: 7}[strings.Contains(c.point, "maxactive")]; pt.Args[0] != want {
				t.Errorf("%s: maxactive %d", c.point, pt.Args[0])
			}
		}
	}
}

func TestFunctionErrors(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct{ point, want string }{
		{`kernel.function("vfs_raed")`, `kernel ` + release + ` has no function "vfs_raed" (did you mean "vfs_read"`},
		{`kernel.function("sys_open")`, `has no function "sys_open" (system calls are probed as syscall.open; its function is __x64_sys_open now`},
		{`kernel.function("generic_make_request")`, `(in this kernel submit_bio_noacct does its work)`},
		{`kernel.function("completely_unlike_anything")`, `has no function "completely_unlike_anything" (it may be inlined`},
		{`kernel.function("do_int3")`, `function "do_int3" can't be probed: it is on the kernel's kprobes blacklist`},
		{`kernel.function("exc_int3")`, `function "exc_int3" can't be probed: it is noinstr code`},
		{`kernel.function("update_prog_stats")`, `function "update_prog_stats" can't be probed: it begins with a static branch, which the kernel rewrites`},
		{`kernel.function("update_prog_stats").return`, `it begins with a static branch`},
		{`kernel.function("start_kernel")`, `function "start_kernel" can't be probed: it is initialization code`},
		{`kernel.function("do_iter_read").exported`, `function "do_iter_read" is not exported`},
		{`kernel.function("vfs_read").inline`, `is known only from debuginfo`},
		{`kernel.function("vfs_read@fs/read_write.c")`, `-dbg`},
		{`kernel.function("zzz*")`, `"zzz*" matches no function`},
		{`kernel.function("exc_int[3]")`, `matches 1 functions of kernel ` + release + `, none of which can be probed`},
		{`kernel.function("vfs_read").return.maxactive(-1)`, `maxactive(-1) must be from 0`},
		{`kernel.functoin("vfs_read")`, `did you mean "function"?`},
	} {
		_, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, diags, c.want)
		}
	}
	// A missing kernel is an error even for optional points.
	_, diags := elaborated.OnKernel(t, "9.9.9-9-amd64", `probe kernel.function("vfs_read") ?, begin { }`)
	if diags.Err() == nil || !strings.Contains(diags[0].Error(), "apt install linux-image-9.9.9-9-amd64") {
		t.Errorf("got %v", diags)
	}
	_, diags = elaborated.OnKernel(t, "", `probe kernel.function("vfs_read") { }`)
	if diags.Err() == nil || !strings.Contains(diags[0].Error(), "the host runtime") {
		t.Errorf("got %v", diags)
	}
}

// TestUnregisteredKProbes: kprobes at places that can't be probed do not end the session, as only their
// registration would fail.
func TestUnregisteredKProbes(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct{ points, names, warning string }{
			{`kprobe.function("vfs_raed")`, `kprobe.function("vfs_raed")`, `has no function "vfs_raed": this probe is never hit (did you mean "vfs_read"`},
			{`kprobe.function("vfs_raed").return`, `kprobe.function("vfs_raed").return`, `this probe is never hit`},
			{`kprobe.module("nosuch").function("a"), begin`, `kprobe.module("nosuch").function("a") begin`, `has no module "nosuch": this probe is never hit`},
			{`kprobe.function("do_int3")`, `kprobe.function("do_int3")`, `(NOKPROBE_SYMBOL): this probe is never hit`},
			{`kprobe.function("vfs_raed")?, begin`, `begin`, ``},
			{`kprobe.function("vfs_raed")!, kprobe.function("vfs_read")`, `kprobe.function("vfs_read")`, ``},
		} {
			e, diags := elaborated.OnKernel(t, release, "probe "+c.points+" { println(pp()) }")
			if diags.Err() != nil || len(diags) > 1 || (len(diags) == 1) != (c.warning != "") {
				t.Errorf("%s: %v", c.points, diags)
				continue
			}
			if len(diags) == 1 && !strings.Contains(diags[0].Error(), c.warning) {
				t.Errorf("%s: got %v, want %s", c.points, diags[0], c.warning)
			}
			var names []string
			for _, pt := range e.Probes[0].Points {
				names = append(names, pt.Name)
				if (pt.Name == "begin" || strings.Contains(pt.Name, "vfs_read")) == (pt.Family == "never") {
					t.Errorf("%s: %s is of family %s", c.points, pt.Name, pt.Family)
				}
			}
			if got := strings.Join(names, " "); got != c.names {
				t.Errorf("%s: got %s, want %s", c.points, got, c.names)
			}
		}
	}
	for points, want := range map[string]string{
		`kprobe.function("vfs_raed*")`: `matches no function`,
		`kprobe.function("vfs@x.c")`:   `without @FILE`,
	} {
		if _, diags := elaborated.OnKernel(t, testkernel.Releases(t)[0], "probe "+points+" { }"); diags.Err() == nil || !strings.Contains(diags[0].Error(), want) {
			t.Errorf("%s: got %v, want %s", points, diags, want)
		}
	}
}
