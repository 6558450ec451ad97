// SPDX-License-Identifier: GPL-2.0-or-later

package query_test

import (
	"slices"
	"testing"

	"gostap/elaborate/image"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func TestComplete(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
		lib, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		for _, c := range []struct {
			text  string
			want  string // one of the completions
			exact bool   // the only completion
		}{
			{"", "begin", false},
			{"kern", "kernel", true},
			{"kernel.f", `kernel.function("`, true},
			{`kernel.function("vfs_rea`, `kernel.function("vfs_read")`, false},
			{`kernel.function("vfs_read").ret`, `kernel.function("vfs_read").return`, true},
			{`kernel.function("vfs_read").return.`, `kernel.function("vfs_read").return.maxactive(`, true},
			{`kernel.function("do_int3`, "", true}, // can't be probed
			{`kernel.trace("sched:sched_swi`, `kernel.trace("sched:sched_switch")`, true},
			{`kernel.trace("sched_swi`, `kernel.trace("sched_switch")`, true},
			{`module("overl`, `module("overlay")`, true},
			{`module("overlay").function("ovl_lookup_i`, `module("overlay").function("ovl_lookup_index")`, false},
			{`module("nosuch").function("a`, "", true},
			{`kernel.data("panic_time`, `kernel.data("panic_timeout")`, true},
			{`kernel.data("panic_timeout").w`, `kernel.data("panic_timeout").write`, true},
			{`process("bash").function("readl`, `process("bash").function("readline")`, false},
			{`process("bash").function("readlink_`, "", true}, // the kernel's
			{`process("nosuch").function("a`, "", true},
			{`process("bash").mark("a`, "", true},
			{`timer.ms(`, "", true},
			{`timer.ms(5).r`, `timer.ms(5).randomize(`, true},
			{`nosuch.`, "", true},
			{`kernel.function("a")x`, "", true},
			{`kernel.function(`, "", true},
		} {
			got := query.Complete(c.text, lib, image.NewTarget(release, false))
			if c.want != "" && !slices.Contains(got, c.want) || c.exact && c.want == "" && len(got) > 0 || c.exact && c.want != "" && len(got) != 1 {
				t.Errorf("%s: %s\n got  %.300q\n want %q", release, c.text, got, c.want)
			}
		}
	}
}

func TestFunctions(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		target := image.NewTarget(release, false)
		list, err := query.Functions(target, "vfs_read", "")
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		if f := list[0]; !f.Traced || !f.Global || f.Exported || f.Refused != "" || f.Size == 0 ||
			f.Signature != "ssize_t vfs_read(struct file* file, char* buf, size_t count, loff_t* pos)" {
			t.Errorf("%+v", f)
		}
		list, err = query.Functions(target, "do_int3", "")
		if err != nil || len(list) != 1 || list[0].Refused == "" || list[0].Traced || list[0].Global {
			t.Errorf("%+v, %v", list, err)
		}
		list, err = query.Functions(target, "kvm_get_kvm", "kv*")
		if err != nil || len(list) != 1 || list[0].Module != "kvm" || !list[0].Exported || list[0].Signature != "void kvm_get_kvm(struct kvm* kvm)" {
			t.Errorf("%+v, %v", list, err)
		}
	}
}
