// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/translator/syntax"
)

// withDebuginfo returns a kernel whose debuginfo is installed; the test is
// skipped if there is none.
func withDebuginfo(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("GOSTAP_DEBUGINFO")
	if dir == "" {
		dir = "/usr/lib/debug"
	}
	for _, release := range testkernel.Releases(t) {
		if _, err := os.Stat(dir + "/boot/vmlinux-" + release); err == nil {
			return release
		}
	}
	t.Skip("no kernel's debuginfo is installed: tests/setup dwarf")
	return ""
}

// points lists the points of a script's probes.
func points(t *testing.T, release, point string) ([]string, error) {
	t.Helper()
	e, diags := onDebuginfo(t, release, "probe "+point+" { }")
	if err := diags.Err(); err != nil {
		return nil, err
	}
	var list []string
	for _, p := range e.Probes {
		for _, pt := range p.Points {
			list = append(list, fmt.Sprintf("%s %s %s%+d", pt.Family, pt.Name, pt.Symbol, pt.Offset))
		}
	}
	return list, nil
}

func TestSourcePoints(t *testing.T) {
	release := withDebuginfo(t)
	for _, c := range []struct {
		point string
		least int
		each  string // matches each point
	}{
		{`kernel.function("vfs_read@fs/read_write.c")`, 1, `^function kernel\.function\("vfs_read@fs/read_write\.c:\d+"\) vfs_read\+0$`},
		{`kernel.function("vfs_read@read_write.c").return`, 1, `^return kernel\.function\("vfs_read@fs/read_write\.c:\d+"\)\.return vfs_read\+0$`},
		{`kernel.function("vfs_*@fs/read_write.c").call`, 8, `^function .*vfs_\w+@fs/read_write\.c:\d+"\)\.call vfs_\w+\+0$`},
		{`kernel.function("new_sync_read").inline`, 1, `^kprobe .*new_sync_read@fs/read_write\.c:\d+"\)\.inline vfs_read\+\d+$`},
		{`kernel.function("new_sync_read")`, 1, `^kprobe .* vfs_read\+\d+$`},
		{`kernel.function("get_page@include/linux/mm.h")`, 20, `^kprobe `},
		{`kernel.statement("vfs_read@fs/read_write.c:*")`, 15, `^kprobe kernel\.statement\("vfs_read@fs/read_write\.c:\d+"\) vfs_read\+\d+$`},
		{`kernel.statement("vfs_read@fs/read_write.c+12")`, 1, `^kprobe .* vfs_read\+\d+$`},
		{`kernel.statement("vfs_read@fs/read_write.c+1-5")`, 2, `^kprobe .* vfs_read\+\d+$`},
		{`kernel.statement("vfs_read@fs/read_write.c+2").nearest`, 1, `^kprobe .* vfs_read\+\d+$`},
		{`kernel.statement("vfs_read@fs/read_write.c")`, 1, `^kprobe .* vfs_read\+0$`},
		{`kernel.function("vfs_read").callee("new_sync_read")`, 1, `^kprobe .*vfs_read@.*\.callee\("new_sync_read@.*\) vfs_read\+\d+$`},
		{`kernel.function("ksys_read").callee("vfs_read").call`, 1, `^function kernel\.function\("ksys_read@[^)]*\)\.callee\("vfs_read@[^)]*\)\.call vfs_read\+0$`},
		{`kernel.function("ksys_read").callee("vfs_read").return`, 1, `^return kernel\.function\("ksys_read@fs/read_write\.c:\d+"\)\.callee\("vfs_read@fs/read_write\.c:\d+"\)\.return vfs_read\+0$`},
		{`kernel.function("ksys_read").callees`, 4, `^(function|kprobe) kernel\.function\("ksys_read@fs/read_write\.c:\d+"\)\.callee\("\w+@[\w/.-]+:\d+"\) \w+\+\d+$`},
		{`kernel.function("ksys_read").callees(2)`, 10, `\.callee\("\w+@[\w/.-]+:\d+"\) \w+\+\d+$`},
		{`kernel.function("*@fs/namei.c").label("out*")`, 3, `^kprobe .*\.label\("out\w*"\) \w+[+-]\d+$`},
	} {
		list, err := points(t, release, c.point)
		if err != nil || len(list) < c.least {
			t.Errorf("%s: %d points, %v", c.point, len(list), err)
		}
		for _, one := range list {
			if !regexp.MustCompile(c.each).MatchString(one) {
				t.Errorf("%s: %s", c.point, one)
			}
		}
	}
}

// TestCallees holds the conditions under which callees' handlers run.
func TestCallees(t *testing.T) {
	release := withDebuginfo(t)
	e, diags := onDebuginfo(t, release, `probe kernel.function("ksys_read").callees(2) { }`)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{}
	for _, p := range e.Probes {
		guard, ok := p.Bodies[0].Stmts, len(p.Bodies) == 2
		for _, pt := range p.Points {
			name := regexp.MustCompile(`\w+@`).FindAllString(pt.Name, -1)
			tests[strings.Join(name, " ")] = "none"
			if ok {
				tests[strings.Join(name, " ")] = syntax.ExprString(guard[0].(*syntax.IfStmt).Cond)
			}
		}
	}
	// ksys_read calls vfs_read at two places.
	const once = `($caller || $hooked && stack(1) == $caller)`
	const twice = `($caller || $hooked && (stack(1) == $caller || stack(1) == $caller))`
	for name, want := range map[string]string{
		"ksys_read@ vfs_read@":                 "!" + twice,
		"ksys_read@ vfs_read@ rw_verify_area@": "!(" + once + " && " + strings.ReplaceAll(twice, "1", "2") + ")",
		"ksys_read@ vfs_read@ add_rchar@":      "!" + twice, // inlined into vfs_read
		"ksys_read@ file_ppos@":                "none",      // inlined into ksys_read
		"ksys_read@ fdget_pos@ __fdget_pos@":   "!" + once,  // called by what is inlined there
	} {
		if strings.Contains(name, " __fdget_pos@") && tests["ksys_read@ fdget_pos@"] != "none" {
			continue // later kernels have not inlined what calls it
		}
		if tests[name] != want {
			t.Errorf("%s: %q, want %q", name, tests[name], want)
		}
	}
	// Functions that are jumped to, so that nothing returns to who does.
	_, diags = onDebuginfo(t, release, `probe kernel.function("fixed_size_llseek").callees { }`)
	if text := fmt.Sprint(diags.Err()); !strings.Contains(text, "not in a way that can be told") || !strings.Contains(text, "generic_file_llseek_size") {
		t.Error(text)
	}
	_, diags = onDebuginfo(t, release, `probe kernel.function("*@fs/read_write.c").callees { }`)
	if text := fmt.Sprint(diags); diags.Err() != nil || !strings.Contains(text, "callees are left out") {
		t.Error(text)
	}
}

func TestSourceErrors(t *testing.T) {
	release := withDebuginfo(t)
	for _, c := range []struct{ point, want string }{
		{`kernel.function("vfs_read@fs/open.c")`, `no function "vfs_read" in a file "fs/open.c": there is vfs_read@fs/read_write.c:`},
		{`kernel.function("vfs_raed@fs/raed_write.c")`, `no file of kernel ` + release + ` with code in it matches "fs/raed_write.c" (did you mean "fs/read_write.c"?)`},
		{`kernel.function("vfs_raed@ext4/read_write.c")`, `(there is fs/read_write.c)`},
		{`kernel.function("vfs_raed@fs/read_write.c")`, `did you mean "vfs_read"`},
		{`kernel.function("vfs_read").inline`, `is inlined nowhere`},
		{`kernel.function("new_sync_read@fs/read_write.c").return`, `is inlined wherever it is called`},
		{`kernel.function("start_kernel@init/main.c")`, `start_kernel is initialization code`},
		{`kernel.statement("vfs_read@fs/read_write.c+2")`, `no code begins at that line`},
		{`kernel.statement("vfs_read@fs/read_write.c:1")`, `no code begins at that line`},
		{`kernel.function("update_prog_stats@kernel/bpf/*.c").call`, `"update_prog_stats@kernel/bpf/*.c" can't be probed: update_prog_stats+0x0: it is in a static branch`},
		{`kernel.statement(16)`, `no function has this address`},
		{`kernel.function("vfs_read").label("*")`, `has no label`},
		{`kernel.function("vfs_read").callees(0)`, `callees(0): the depth must be from 1 to 16`},
		{`kprobe.function("vfs_read@fs/read_write.c")`, `goes without debuginfo`},
	} {
		_, err := points(t, release, c.point)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, err, c.want)
		}
	}
}

// TestBarred looks for places where kprobes are refused.
func TestBarred(t *testing.T) {
	release := withDebuginfo(t)
	all, diags := onDebuginfo(t, release, `probe kernel.statement("*@fs/*.c:*") { }`)
	if diags.Err() != nil || len(diags) != 1 || !strings.Contains(diags[0].Error(), "places are left out, for they can't be probed: for one, ") {
		t.Fatal(diags)
	}
	k, err := NewTarget(release, false).Kernel()
	if err != nil {
		t.Fatal(err)
	}
	target := NewTarget(release, true)
	code, err := target.code()
	if err != nil {
		t.Fatal(err)
	}
	var patched uint64
	for _, pt := range all.Probes[0].Points {
		addr := k.Text() + uint64(pt.SymbolOffset+pt.Offset)
		if why := code.Reserved(addr); why != "" {
			t.Fatalf("%s is in %s", pt.Name, why)
		}
	}
	// A line of the source that begins at a static branch.
	info, err := target.Debuginfo()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range info.Lookup("static_key_false") {
		for _, in := range f.Instances() {
			if patched == 0 && strings.Contains(code.Reserved(in.Entry), "a static branch") {
				patched = in.Entry
			}
		}
	}
	_, err = points(t, release, fmt.Sprintf("kernel.statement(%#x)", patched))
	if err == nil || !strings.Contains(err.Error(), `can't be probed: `) || !strings.Contains(err.Error(), "it is in a static branch") {
		t.Errorf("%#x: %v", patched, err)
	}
	list, err := points(t, release, `kernel.function("static_key_false").inline`)
	if err != nil || len(list) == 0 {
		t.Errorf("%d points, %v", len(list), err)
	}
}

func TestOtherBuildIsRefused(t *testing.T) {
	release := withDebuginfo(t)
	dir := t.TempDir()
	t.Setenv("GOSTAP_DEBUGINFO", dir)
	if err := os.Mkdir(filepath.Join(dir, "boot"), 0o777); err != nil {
		t.Fatal(err)
	}
	// Any other ELF file of x86-64 does.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "boot/vmlinux-"+release)); err != nil {
		t.Fatal(err)
	}
	_, err = points(t, release, `kernel.function("vfs_read@fs/read_write.c")`)
	if err == nil || !strings.Contains(err.Error(), "is of another build") {
		t.Errorf("got %v", err)
	}
}

// TestSourcesAgree compares what BTF and DWARF say of parameters.
func TestSourcesAgree(t *testing.T) {
	release := withDebuginfo(t)
	info, err := NewTarget(release, false).Debuginfo()
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
		byBTF, d1 := onDebuginfo(t, release, fmt.Sprintf("probe kernel.function(%q)%s", f.Name, body))
		byDWARF, d2 := onDebuginfo(t, release, fmt.Sprintf("probe kernel.statement(%q)%s", f.Name+"@"+f.File, body))
		if len(d1) > 0 || len(d2) > 0 {
			continue // it can't be probed
		}
		functions++
		one, other := values(byBTF.Probes[0]), values(byDWARF.Probes[0])
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
	// Where a function changes a parameter at once, DWARF has the new value already.
	if differ > compared/100 {
		t.Errorf("%d of %d differ", differ, compared)
	}
	if functions < 100 || compared < functions {
		t.Errorf("only %d functions and %d parameters were compared", functions, compared)
	}
}

// asArgument spells the registers that carry arguments as BTF's do.
func asArgument(x string) string {
	for reg, arg := range argumentOf {
		x = regexp.MustCompile(fmt.Sprintf(`\breg%d\b`, reg)).ReplaceAllString(x, fmt.Sprintf("arg%d", arg))
	}
	return x
}

func TestSourceValues(t *testing.T) {
	release := withDebuginfo(t)
	for _, c := range []struct{ script, want string }{
		{`probe kernel.function("new_sync_read").inline { print($len) print($filp->f_pos) }`, ``},
		{`probe kernel.statement("vfs_read@fs/read_write.c+12") { print($nosuch) }`, `no $nosuch in vfs_read: here there are $`},
		{`probe kernel.statement("vfs_read@fs/read_write.c+27") { print($ret) }`, `it is nowhere at this address`},
		{`probe begin { print(@var("init_task@init/init_task.c")->pid) }`, ``},
		{`probe begin { print(@var("nosuch@init/init_task.c")) }`, `no file "init/init_task.c" has a variable nosuch`},
		{`probe begin { print(@var("runqueues@kernel/sched/core.c")->nr_running) }`, `u8[(&__per_cpu_offset + ({cpu()} * 8))]`},
	} {
		e, diags := onDebuginfo(t, release, c.script)
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.script, diags)
			continue
		}
		got := strings.Join(values(e.Probes[0]), "; ")
		if c.want == "" && strings.Contains(got, "error") || !strings.Contains(got, c.want) {
			t.Errorf("%s\n got  %s\n want %s", c.script, got, c.want)
		}
	}
}
