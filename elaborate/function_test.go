// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/tapsets"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func TestFunctionPoints(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct{ point, family, name, symbol string }{
			{`kernel.function("vfs_read")`, "function", `kernel.function("vfs_read")`, "vfs_read"},
			{`kernel.function("vfs_read").call`, "function", `kernel.function("vfs_read").call`, "vfs_read"},
			{`kernel.function("kernel_read").exported`, "function", `kernel.function("kernel_read").exported`, "kernel_read"},
			{`kernel.function("vfs_read").return`, "return", `kernel.function("vfs_read").return`, "vfs_read"},
			{`kernel.function("vfs_read").return.maxactive(7)`, "return", `kernel.function("vfs_read").return`, "vfs_read"},
			{`kprobe.function("vfs_read")`, "function", `kprobe.function("vfs_read")`, "vfs_read"},
			{`kernel.function("clear_page_erms")`, "kprobe", `kernel.function("clear_page_erms")`, "clear_page_erms"},
			{`kernel.function("clear_page_erms").return`, "return", `kernel.function("clear_page_erms").return`, "clear_page_erms"},
		} {
			e, diags := onKernel(t, release, "probe "+c.point+" { }")
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
		{`kernel.function("completely_unlike_anything")`, `has no function "completely_unlike_anything" (it may be inlined`},
		{`kernel.function("do_int3")`, `function "do_int3" can't be probed: it is on the kernel's kprobes blacklist`},
		{`kernel.function("exc_int3")`, `function "exc_int3" can't be probed: it is noinstr code`},
		{`kernel.function("update_prog_stats")`, `function "update_prog_stats" can't be probed: it begins with a static branch, which the kernel rewrites`},
		{`kernel.function("update_prog_stats").return`, `it begins with a static branch`},
		{`kernel.function("start_kernel")`, `function "start_kernel" can't be probed: it is initialization code`},
		{`kernel.function("vfs_read").exported`, `function "vfs_read" is not exported`},
		{`kernel.function("vfs_read").inline`, `is known only from debuginfo`},
		{`kernel.function("vfs_read@fs/read_write.c")`, `-dbg`},
		{`kernel.function("zzz*")`, `"zzz*" matches no function`},
		{`kernel.function("exc_int[3]")`, `matches 1 functions of kernel ` + release + `, none of which can be probed`},
		{`kernel.function("vfs_read").return.maxactive(-1)`, `maxactive(-1) must be from 0`},
		{`kernel.functoin("vfs_read")`, `did you mean "function"?`},
	} {
		_, diags := onKernel(t, release, "probe "+c.point+" { }")
		if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, diags, c.want)
		}
	}
	// A kernel that is missing is an error however optional the point.
	_, diags := onKernel(t, "9.9.9-none", `probe kernel.function("vfs_read") ?, begin { }`)
	if diags.Err() == nil || !strings.Contains(diags[0].Error(), "apt install linux-image-9.9.9-none") {
		t.Errorf("got %v", diags)
	}
	_, diags = onKernel(t, "", `probe kernel.function("vfs_read") { }`)
	if diags.Err() == nil || !strings.Contains(diags[0].Error(), "the host runtime") {
		t.Errorf("got %v", diags)
	}
}

// TestGroups is about which points share a handler.
func TestGroups(t *testing.T) {
	release := testkernel.Releases(t)[0]
	count := func(script string) (probes, points int) {
		e, diags := onKernel(t, release, script)
		if diags.Err() != nil {
			t.Fatalf("%s: %v", script, diags)
		}
		for _, p := range e.Probes {
			points += len(p.Points)
		}
		return len(e.Probes), points
	}
	if probes, points := count(`probe kernel.function("vfs_read"), kernel.function("vfs_write") { print($count) }`); probes != 1 || points != 2 {
		t.Errorf("$count of vfs_read and vfs_write: %d probes, %d points", probes, points)
	}
	if probes, points := count(`probe kernel.function("vfs_read"), kernel.function("vfs_readv") { print(@defined($count)) }`); probes != 2 || points != 2 {
		t.Errorf("@defined($count): %d probes, %d points", probes, points)
	}
	if probes, _ := count(`probe kernel.function("vfs_read"), timer.s(1) { print(@cast(1, "file")->f_pos) }`); probes != 1 {
		t.Errorf("@cast: %d probes", probes)
	}
	if probes, points := count(`probe kernel.function("*") { n++ }`); probes != 1 || points < 30000 {
		t.Errorf(`"*": %d probes, %d points`, probes, points)
	}
	// Every argument is the sixth at most or on the stack, where Registers is set.
	e, _ := onKernel(t, release, `probe kernel.function("*") { print($$parms) }`)
	for _, p := range e.Probes {
		stack := strings.Contains(short(p.Values[firstTarget(p)].X), "reg7")
		if p.Points[0].Registers != stack {
			t.Errorf("%s: Registers is %v", p.Points[0].Name, p.Points[0].Registers)
		}
	}
}

func firstTarget(p *program.ElaboratedProbe) syntax.Expr {
	var found syntax.Expr
	syntax.Inspect(p.Bodies[0], func(n syntax.Node) bool {
		if x, ok := n.(*syntax.TargetVar); ok {
			found = x
		}
		return found == nil
	})
	return found
}

func TestUserFunctionsHideTheLibrarys(t *testing.T) {
	e, diags := onKernel(t, testkernel.Releases(t)[0], `probe begin { print(strlen("x")) } function strlen(s) { return 3 }`)
	if len(diags) > 0 || len(e.Files) != 1 {
		t.Errorf("%d files, %v", len(e.Files), diags)
	}
}

func benchmarkElaborate(b *testing.B, script string) {
	release := testkernel.Releases(b)[0]
	for b.Loop() {
		env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
		lib, _ := LoadLibrary(env, Folder{tapsets.FS, "tapset"})
		file, _ := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte(script)}, env)
		if _, diags := Elaborate([]*syntax.File{file}, lib, NewTarget(release, false)); diags.Err() != nil {
			b.Fatal(diags)
		}
	}
}

func BenchmarkHello(b *testing.B) {
	benchmarkElaborate(b, `probe begin { println("hello") exit() }`)
}

func BenchmarkVfsRead(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.function("vfs_read") { println($count, kernel_string($file->f_path->dentry->d_name->name)) }`)
}

func BenchmarkEverything(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.function("*") { println(pp()) }`)
}

func BenchmarkEverythingWithParameters(b *testing.B) {
	benchmarkElaborate(b, `probe kernel.function("*") { println($$parms) }`)
}
