// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/btf"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/symbols"
)

func TestVariables(t *testing.T) {
	for _, c := range []struct{ point, x, want string }{
		{`vfs_read`, `$count`, `arg2`},
		{`vfs_read`, `$nosuch`, `test.stp:1:43: no $nosuch: vfs_read has $file, $buf, $count, $pos (local variables are known only from debuginfo: apt install linux-image-RELEASE-dbg)`},
		{`vfs_read`, `$cuont`, `test.stp:1:43: no $cuont: vfs_read has $file, $buf, $count, $pos (did you mean $count?)`},
		{`__x64_sys_accept`, `$regs->di`, `u8[(arg0 + 112)]`},
		{`__ia32_sys_quotactl`, `$regs->bx`, `u8[(arg0 + 40)]`},
		{`vfs_read`, `$count->x`, `test.stp:1:49: $count is a size_t: it has no member "x"`},
		{`vfs_read`, `$buf->x`, `test.stp:1:47: $buf is a char*: it has no member "x"`},
		{`vfs_read`, `$pos[-1]`, `s8[(arg3 + -8)]`},
		{`vfs_read`, `$pos[0]`, `s8[arg3]`},
		{`vfs_read`, `$pos[i]`, `s8[(arg3 + ({i} * 8))]`},
		{`vfs_read`, `&$pos[2]`, `(arg3 + 16)`},
		{`vfs_read`, `&$count`, `test.stp:1:43: $count is in a register: it has no address`},
		{`vfs_read`, `$return`, `test.stp:1:43: $return: the function has only begun here (kernel.function("vfs_read").return has it)`},
		{`vfs_read`, `$$parms`, `sprintf("file=%#x buf=%#x count=%#x pos=%#x", arg0, arg1, arg2, arg3)`},
		{`vfs_read`, `$$locals`, `sprintf("")`},
		{`vfs_read`, `$count$`, `sprintf("%u", arg2)`},
		{`vfs_read`, `$buf$`, `sprintf("\"%s\"", {kernel_string($string, "?")})`},
		{`vfs_read`, `@defined($count)`, `1`},
		{`vfs_read`, `@defined($x->y)`, `0`},
		{`vfs_read`, `@entry($count)`, `test.stp:1:43: @entry is what was so at a function's entry: it stands only in return probes`},
		{`vfs_read`, `@var("count")`, `arg2`},
		{`vfs_read`, `@enum("PIDTYPE_TGID")`, `1`},
		{`vfs_read`, `@enumname("kobject_action", n++)`, `test.stp:1:43: @enumname looks at its value more than once: put n++ into a variable first`},
		{`vfs_read`, `@enumname("kobj", 1)`, `test.stp:1:43: the kernel has no enumeration "kobj"`},
		{`vfs_read`, `@enumname("pid_type")`, `test.stp:1:43: @enumname takes an enumeration and a value: @enumname("pid_type", VALUE)`},
		{`vfs_read`, `$PIDTYPE_TGID`, `1`},
		{`vfs_read.return`, `$PIDTYPE_TGID`, `1`},
		{`vfs_read`, `@var("kstat")->softirqs[1]`, `u4[((&kstat + u8[(&__per_cpu_offset + ({cpu()} * 8))]) + 12)]`},
		{`vfs_read`, `&@var("panic_timeout@kernel/panic.c")`, `&panic_timeout`},
		{`vfs_read`, `&@var("gs_word", "gs_places")`, `&gs_places:gs_word`},
		{`vfs_read`, `&@var("kvm_running_vcpu", "kvm")`, `(&kvm:kvm_running_vcpu + u8[(&__per_cpu_offset + ({cpu()} * 8))])`},
		{`vfs_read`, `@var("kvm_running_vcpu", "kvm")->vcpu_id`, `s4[(u8[(&kvm:kvm_running_vcpu + u8[(&__per_cpu_offset + ({cpu()} * 8))])] + 36)]`},
		{`vfs_read`, `@var("panic_timeout")`, `s4[&panic_timeout]`},
		{`vfs_read`, `@var("jiffies@kernel/time/timer.c")`, `u8[&jiffies]`},
		{`vfs_read`, `@var("init_task")->thread_info->flags`, `u8[&init_task]`},
		{`vfs_read`, `@var("tainted_mask")`, `test.stp:1:43: neither BTF, which tells it of per-CPU variables only, nor the kernel's headers say of what type @var("tainted_mask") is (say it, as @cast(&@var("tainted_mask"), "int")[0] reads it as an int; or install debuginfo: apt install linux-image-RELEASE-dbg)`},
		{`vfs_read`, `&@var("panic_timeuot")`, `test.stp:1:43: kernel RELEASE has no variable "panic_timeuot" with a place of its own (did you mean "panic_timeout"?)`},
		{`vfs_read`, `@defined(@var("panic_timeuot"))`, `0`},
		{`vfs_read`, `@cast($buf, "long")[2]`, `s8[({$buf} + 16)]`},
		{`vfs_read`, `@cast($buf, "no_such_type")->x`, `test.stp:1:43: @cast: the kernel has no type "no_such_type"`},
		{`vfs_read`, `@cast($buf, "list_head")->next->prev`, `u8[(u8[{$buf}] + 8)]`},
		{`vfs_read`, `@cast($buf, "struct list_head", "kernel<linux/list.h>")$`, `sprintf("{.next=%p, .prev=%p}", u8[{$buf}], u8[({$buf} + 8)]) or "?"`},
		{`vfs_read`, `@cast($buf, "list_head", "/no/such/program")->next`, `test.stp:1:43: there is no file "/no/such/program": not even the folder /no/such`},
		{`vfs_read`, `@cast($buf, "kvm_lapic", "kvm")->vcpu`, `u8[({$buf} + 144)]`},
		{`vfs_read`, `@cast($buf, "kvm_lapic", "kernel:kvm")->vcpu`, `u8[({$buf} + 144)]`},
		{`vfs_read`, `@cast($buf, "list_head", "no_such_module")->next`, `test.stp:1:43: @cast: types are known of the kernel, its modules, and programs, and none of them is "no_such_module"`},
		{`vfs_read`, `@cast($buf, "kvm_lapic")->vcpu`, `test.stp:1:43: @cast: the kernel has no type "kvm_lapic"`},
		{`vfs_read`, `@cast($buf, "dir_entry", "btrfs")->ino`, `u8[{$buf}]`},
		{`vfs_read`, `@cast($buf, "no_such_type", "kvm")->x`, `test.stp:1:43: @cast: the module kvm has no type "no_such_type"`},
		{`vfs_read`, `buf->x`, `test.stp:1:43: what this points to is not known (say it: @cast(buf, "struct name")->member)`},
		{`vfs_read.return`, `$return`, `ret`},
		{`vfs_read.return`, `$count`, `saved0, saved0: arg2`},
		{`vfs_read.return`, `$pos[1]`, `saved0, saved0: s8[(arg3 + 8)]`},
		{`vfs_read.return`, `@entry($count * 2)`, `saved0, saved0: {$count * 2}`},
		{`vfs_read.return`, `$$return`, `sprintf("return=%#x", ret)`},
		{`vfs_read.return`, `$$parms`, `saved0, saved0: sprintf("file=%#x buf=%#x count=%#x pos=%#x", arg0, arg1, arg2, arg3)`},
		{`vfs_read.return`, `$pos[i]`, `test.stp:1:54: in a return probe a parameter is what it was at the function's entry: its index must be a constant (save it in the function's entry probe, or write @entry($pos[i]))`},
		{`do_exit`, `$code`, `arg0`},
		{`mnt_want_write`, `$m->mnt_flags`, `s4[(arg0 + 16)]`},
		{`wake_up_process.return`, `$return`, `s4(ret)`},
		{`kfree.return`, `$return`, `test.stp:1:47: $return: kfree returns nothing`},
	} {
		for _, release := range testkernel.Releases(t) {
			want := strings.ReplaceAll(c.want, "RELEASE", release)
			if got := elaborated.Variable(t, release, c.point, c.x); got != want {
				t.Errorf("%s: %s: %s\n got  %s\n want %s", release, c.point, c.x, got, want)
			}
		}
	}
}

// TestMembers checks members that differ between kernels.
func TestMembers(t *testing.T) {
	for i, release := range testkernel.Releases(t) {
		for _, c := range []struct {
			point, x string
			want     [2]string // on 6.1, on 6.12
		}{
			{"vfs_read", `$file->f_path->dentry->d_name->name`, [2]string{"u8[(u8[(arg0 + 24)] + 40)]", "u8[(u8[(arg0 + 72)] + 40)]"}},
			{"vfs_read", `$file->f_path->dentry->d_iname`, [2]string{"(u8[(arg0 + 24)] + 56)", "(u8[(arg0 + 72)] + 56)"}},
			{"vfs_read", `&$file->f_pos`, [2]string{"(arg0 + 104)", "(arg0 + 112)"}},
			{"vfs_read", `$buf[3]`, [2]string{"s1[(arg1 + 3)]", "u1[(arg1 + 3)]"}}, // -funsigned-char since 6.2
			{"vfs_read", `$buf$`, [2]string{`sprintf("\"%s\"", {kernel_string($string, "?")})`, `sprintf("\"%s\"", {kernel_string($string, "?")})`}},
			{"vfs_read", `$file->f_path$`, [2]string{
				`sprintf("{.mnt=%p, .dentry=%p}", u8[(arg0 + 16)], u8[(arg0 + 24)]) or "?"`,
				`sprintf("{.mnt=%p, .dentry=%p}", u8[(arg0 + 64)], u8[(arg0 + 72)]) or "?"`}},
			{"vfs_read", `@cast(0, "task_struct")->sched_migrated`, [2]string{
				"((u1[({0} + 2340)] >>> 2) & 1)", "((u1[({0} + 2356)] >>> 2) & 1)"}},
		} {
			if got := elaborated.Variable(t, release, c.point, c.x); got != c.want[i] {
				t.Errorf("%s: %s: %s\n got  %s\n want %s", release, c.point, c.x, got, c.want[i])
			}
		}
	}
}

// builtFor compiles C to a file that is used as the debuginfo of a kernel.
func builtFor(t *testing.T, release, source string) {
	t.Helper()
	kernel, err := image.NewTarget(release, false).Kernel()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "boot"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-O2", "-g", "-nostdlib", "-Wl,-e,0", "-Wl,--build-id=0x"+kernel.BuildID, "-o", filepath.Join(dir, "boot/vmlinux-"+release), source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("GOSTAP_DEBUGINFO", dir)
	t.Setenv("GOSTAP_CACHE", t.TempDir())
}

// undescribed returns a function that ftrace traces and that is not in BTF.
func undescribed(t *testing.T, functions *symbols.Functions, types btf.Named) string {
	t.Helper()
	for _, f := range functions.Glob("*") {
		if !f.IsPart() && f.Ftrace && f.Refusal == symbols.Probeable && len(types.Find(f.Name, btf.Function)) == 0 {
			return f.Name
		}
	}
	t.Fatal("BTF describes all functions")
	return ""
}

// TestUndescribed reads variables of functions that are neither in BTF nor in the kernel's debuginfo.
func TestUndescribed(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		target := image.NewTarget(release, false)
		kernel, err := target.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		types, err := target.Types()
		if err != nil {
			t.Fatal(err)
		}
		module := target.FirstModule("virtio_net")
		own, err := module.Types()
		if err != nil {
			t.Fatal(err)
		}
		builtFor(t, release, "../dwarf/testdata/other.c")
		name, inModule := undescribed(t, &kernel.Functions, types), undescribed(t, module.Symbols(), own)
		for _, c := range []struct{ point, x, want string }{
			{fmt.Sprintf("kernel.function(%q)", name), `$x`, fmt.Sprintf("$x: neither BTF nor the debuginfo describes %s", name)},
			{fmt.Sprintf("kernel.function(%q)", name), `$$parms`, fmt.Sprintf("$$parms: neither BTF nor the debuginfo describes %s", name)},
			{fmt.Sprintf("kernel.function(%q).return", name), `$return`, fmt.Sprintf("$return: neither BTF nor the debuginfo describes %s", name)},
			{fmt.Sprintf("kernel.function(%q)", name), `@defined($x->y)`, "0"},
			{fmt.Sprintf("module(%q).function(%q)", "virtio_net", inModule), `$x`, fmt.Sprintf("$x: BTF does not describe %s; the list of its parameters is known only from debuginfo of module virtio_net", inModule)},
			{fmt.Sprintf("module(%q).function(%q)", "virtio_net", inModule), `@defined(@choose_defined($x, $y)->z)`, "0"},
		} {
			e, diags := elaborated.OnDebuginfo(t, release, fmt.Sprintf("probe a = %s ! { v = %s } probe a { print(v) }", c.point, c.x))
			if len(diags) > 0 {
				t.Errorf("%s: %s: %v", release, c.x, diags)
				continue
			}
			if got := elaborated.Values(e.Probes[0])[0]; !strings.Contains(got, c.want) {
				t.Errorf("%s: %s: %s\n got  %s\n want %s", release, c.point, c.x, got, c.want)
			}
		}
	}
}
