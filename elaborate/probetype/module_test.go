// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"strings"
	"testing"

	"gostap/elaborate/btf"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
	"gostap/translator/syntax"
)

func TestModulePoints(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct{ point, family, name, value, want string }{
			{`module("kvm").function("kvm_vcpu_ioctl")`, "function", `module("kvm").function("kvm_vcpu_ioctl")`, "$ioctl", "u4(arg1)"},
			{`module("kvm").function("kvm_vcpu_ioctl").call`, "function", `module("kvm").function("kvm_vcpu_ioctl").call`, "$arg", "arg2"},
			{`module("kv[m]").function("kvm_vcpu_ioc?l")`, "function", `module("kvm").function("kvm_vcpu_ioctl")`, "$$parms", `sprintf("filp=%#x ioctl=%#x arg=%#x", arg0, u4(arg1), arg2)`},
			{`module("kvm").function("kvm_vcpu_ioctl").return.maxactive(9)`, "return", `module("kvm").function("kvm_vcpu_ioctl").return`, "$return", "ret"},
			{`kprobe.module("kvm").function("kvm_vcpu_ioctl")`, "function", `kprobe.module("kvm").function("kvm_vcpu_ioctl")`, "1", ""},
			{`module("kvm").function("kvm_get_kvm").exported`, "function", `module("kvm").function("kvm_get_kvm").exported`, "$kvm", "arg0"},
		} {
			e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { print("+c.value+") }")
			if len(diags) > 0 || len(e.Probes) != 1 || len(e.Probes[0].Points) != 1 {
				t.Errorf("%s: %v", c.point, diags)
				continue
			}
			pt := e.Probes[0].Points[0]
			if pt.Family != c.family || pt.Name != c.name || pt.Image.Module != "kvm" || !strings.HasPrefix(pt.Symbol, "kvm_") || pt.SymbolOffset != 0 {
				t.Errorf("%s: %+v", c.point, pt)
			}
			if maxactive := strings.Contains(c.point, "maxactive"); maxactive != (pt.Args[0] == 9) {
				t.Errorf("%s: %+v", c.point, pt)
			}
			if c.want != "" && elaborated.Values(e.Probes[0])[0] != c.want {
				t.Errorf("%s: %s is %q, want %q", c.point, c.value, elaborated.Values(e.Probes[0]), c.want)
			}
		}
	}
}

func TestModuleErrors(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct{ point, want string }{
		{`module("kvn").function("kvm_vcpu_ioctl")`, `kernel ` + release + ` has no module "kvn" (did you mean "kvm"?)`},
		{`module("completely_unlike_anything").function("a")`, `a module that is not under /lib/modules is named by its file`},
		{`module("/no/such/file.ko").function("a")`, `no such file`},
		{`module("/etc/passwd").function("a")`, `no kernel module`},
		{`module("kvm").function("kvm_vcpu_ioctk")`, `module kvm has no function "kvm_vcpu_ioctk" (did you mean "kvm_vcpu_ioctl"`},
		{`module("kvm").function("kvm_x86_init")`, `it is __init or __exit code of the module`},
		{`module("kvm_intel").function("trace_kvm_nested_vmenter_failed")`, `can't be probed: it begins with a static branch, which the kernel rewrites`},
		{`module("nfs").function("nfs_proc_read")`, `(since Linux 2.6.21 NFS does not wait for what it reads: nfs.proc.read_setup`},
		{`module("kvm").function("zzz*")`, `"zzz*" matches no function of module kvm`},
		{`module("kv*").function("zzz*")`, `has a function "zzz*" that can be probed`},
		{`kprobe.module("kvm").function("kvm_vcpu_ioctl").exported`, `"exported" can't follow`},
		{`module("ext4").function("ext4_readdir")`, `it is built into the kernel: write kernel instead of module("ext4")`},
	} {
		_, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, diags, c.want)
		}
	}
	e, diags := elaborated.OnKernel(t, release, `probe kprobe.module("kvm").function("kvm_vcpu_ioctl") { print($arg) }`)
	if len(diags) > 0 || !strings.Contains(elaborated.Values(e.Probes[0])[0], `kprobe probes have no target variables (module("kvm").function("kvm_vcpu_ioctl") has them)`) {
		t.Errorf("%v %q", diags, elaborated.Values(e.Probes[0]))
	}
}

// TestModuleBarred has sites in a module at which kprobes are refused.
func TestModuleBarred(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	target := image.NewTarget(release, false)
	module, d := target.OneModule(syntax.Pos{}, "kvm")
	if d != nil {
		t.Fatal(d)
	}
	info := module.Debuginfo().Installed(nil)
	if info == nil {
		t.Skip("no debuginfo of module kvm is installed")
	}
	types, err := target.Types()
	if err != nil {
		t.Fatal(err)
	}
	code, err := module.File.Code(types.Size(types.Find("alt_instr", btf.Struct)[0]))
	if err != nil {
		t.Fatal(err)
	}
	all, diags := elaborated.OnDebuginfo(t, release, `probe module("kvm").statement("*@virt/kvm/*.c:*") { }`)
	if diags.Err() != nil || len(diags) != 1 || !strings.Contains(diags[0].Error(), "places are left out, for they can't be probed: for one, ") {
		t.Fatal(diags)
	}
	for _, pt := range all.Probes[0].Points {
		f := module.Symbols().Lookup(pt.Symbol)
		if len(f) != 1 || code[".text"].Reserved(f[0].Addr+uint64(pt.Offset)) != "" {
			t.Errorf("%s (%s+%#x) can't be probed", pt.Name, pt.Symbol, pt.Offset)
		}
	}
	found := ""
	for _, f := range info.Lookup("static_key_false") {
		for _, in := range f.Instances() {
			s := info.SectionAt(in.Entry)
			if c := code[s.Name]; c != nil && strings.Contains(c.Reserved(in.Entry-s.Addr), "a static branch") {
				found = in.Outer.Func.Name
			}
		}
	}
	if found == "" {
		t.Fatal("no function of kvm has a static branch")
	}
	// There may be functions none of whose sites can be probed.
	list, err := elaborated.Points(t, release, `module("kvm").function("static_key_false@*").inline`)
	if err == nil && len(list) == 0 {
		t.Error("no place, and no error")
	}
	if err != nil && !strings.Contains(err.Error(), "it is in a static branch, which the kernel rewrites") {
		t.Error(err)
	}
}

// TestManyModules: debuginfo of all modules that match a pattern is used.
func TestManyModules(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	for point, want := range map[string]string{
		`module("nf_*").function("help@*nf_conntrack_ftp.c")`:        `function module("nf_conntrack_ftp").function("help@net/netfilter/nf_conntrack_ftp.c:369") help+0`,
		`module("nf_*").function("help@*nf_conntrack_ftp.c").return`: `return module("nf_conntrack_ftp").function("help@net/netfilter/nf_conntrack_ftp.c:369").return help+0`,
	} {
		if list, err := elaborated.Points(t, release, point); err != nil || len(list) != 1 || list[0] != want {
			t.Errorf("%s: %q, %v", point, list, err)
		}
	}
	list, err := elaborated.Points(t, release, `module("nf_conntrack_*").statement("help@*.c:*")`)
	modules := map[string]bool{}
	for _, text := range list {
		modules[strings.Split(text, `"`)[1]] = true
	}
	if err != nil || len(modules) < 2 {
		t.Errorf("statements in modules %v, %v", modules, err)
	}
	_, err = elaborated.Points(t, release, `module("nf_*").function("help@nowhere.c")`)
	if err == nil || !strings.Contains(err.Error(), `modules that "nf_*" matches has it; for one, `) {
		t.Error(err)
	}
}

// TestTwins: all functions of the same name in a module are probed.
func TestTwins(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, point := range []string{`module("libceph").function("handle_reply")`, `module("libceph").function("handle_repl[y]").return`} {
			e, diags := elaborated.OnKernel(t, release, "probe "+point+" { }")
			if diags != nil {
				t.Fatalf("%s: %v", release, diags)
			}
			sites := map[string]bool{}
			for _, p := range e.Probes {
				for _, pt := range p.Points {
					sites[pt.Symbol] = pt.Symbol != "handle_reply" && pt.Offset != 0
				}
			}
			if len(sites) < 2 || sites["handle_reply"] {
				t.Errorf("%s: %s is at %v", release, point, sites)
			}
		}
	}
}
