// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gostap/elaborate/btf"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/translator/syntax"
)

func TestSourcePoints(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
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
		list, err := elaborated.Points(t, release, c.point)
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

// TestCallees checks the conditions under which callees' handlers run.
func TestCallees(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	e, diags := elaborated.OnDebuginfo(t, release, `probe kernel.function("ksys_read").callees(2) { }`)
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
	// ksys_read calls vfs_read at two sites.
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
			continue // later kernels have not inlined its caller
		}
		if tests[name] != want {
			t.Errorf("%s: %q, want %q", name, tests[name], want)
		}
	}
	// Functions that are reached by tail calls, so that they do not return to the caller.
	_, diags = elaborated.OnDebuginfo(t, release, `probe kernel.function("fixed_size_llseek").callees { }`)
	if text := fmt.Sprint(diags.Err()); !strings.Contains(text, "not in a way that can be told") || !strings.Contains(text, "generic_file_llseek_size") {
		t.Error(text)
	}
	_, diags = elaborated.OnDebuginfo(t, release, `probe kernel.function("*@fs/read_write.c").callees { }`)
	if text := fmt.Sprint(diags); diags.Err() != nil || !strings.Contains(text, "callees are left out") {
		t.Error(text)
	}
}

func TestSourceErrors(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
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
		_, err := elaborated.Points(t, release, c.point)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, err, c.want)
		}
	}
}

// TestBarred has sites at which kprobes are refused.
func TestBarred(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	all, diags := elaborated.OnDebuginfo(t, release, `probe kernel.statement("*@fs/*.c:*") { }`)
	if diags.Err() != nil || len(diags) != 1 || !strings.Contains(diags[0].Error(), "places are left out, for they can't be probed: for one, ") {
		t.Fatal(diags)
	}
	k, err := image.NewTarget(release, false).Kernel()
	if err != nil {
		t.Fatal(err)
	}
	target := image.NewTarget(release, true)
	types, err := target.Types()
	if err != nil {
		t.Fatal(err)
	}
	code, err := k.Code(types.Size(types.Find("alt_instr", btf.Struct)[0]))
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
	info, err := target.Debuginfo().Any()
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
	_, err = elaborated.Points(t, release, fmt.Sprintf("kernel.statement(%#x)", patched))
	if err == nil || !strings.Contains(err.Error(), `can't be probed: `) || !strings.Contains(err.Error(), "it is in a static branch") {
		t.Errorf("%#x: %v", patched, err)
	}
	list, err := elaborated.Points(t, release, `kernel.function("static_key_false").inline`)
	if err != nil || len(list) == 0 {
		t.Errorf("%d points, %v", len(list), err)
	}
}

func TestOtherBuildIsRefused(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	dir := t.TempDir()
	t.Setenv("GOSTAP_DEBUGINFO", dir)
	if err := os.Mkdir(filepath.Join(dir, "boot"), 0o777); err != nil {
		t.Fatal(err)
	}
	// Any other ELF file with debuginfo can be used.
	cmd := exec.Command("gcc", "-g", "-nostdlib", "-Wl,-e,0", "-o", filepath.Join(dir, "boot/vmlinux-"+release), "../dwarf/testdata/other.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, err := elaborated.Points(t, release, `kernel.function("vfs_read@fs/read_write.c")`)
	if err == nil || !strings.Contains(err.Error(), "is of another build") {
		t.Errorf("got %v", err)
	}
}
