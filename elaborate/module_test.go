// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/testkernel"
)

func TestModulePoints(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct{ point, family, name, value, want string }{
			{`module("kvm").function("kvm_vcpu_ioctl")`, "kprobe", `module("kvm").function("kvm_vcpu_ioctl")`, "$ioctl", "u4(arg1)"},
			{`module("kvm").function("kvm_vcpu_ioctl").call`, "kprobe", `module("kvm").function("kvm_vcpu_ioctl").call`, "$arg", "arg2"},
			{`module("kv[m]").function("kvm_vcpu_ioc?l")`, "kprobe", `module("kvm").function("kvm_vcpu_ioctl")`, "$$parms", `sprintf("filp=%#x ioctl=%#x arg=%#x", arg0, u4(arg1), arg2)`},
			{`module("kvm").function("kvm_vcpu_ioctl").return.maxactive(9)`, "kretprobe", `module("kvm").function("kvm_vcpu_ioctl").return`, "$return", "ret"},
			{`kprobe.module("kvm").function("kvm_vcpu_ioctl")`, "kprobe", `kprobe.module("kvm").function("kvm_vcpu_ioctl")`, "1", ""},
			{`module("kvm").function("kvm_get_kvm").exported`, "kprobe", `module("kvm").function("kvm_get_kvm").exported`, "$kvm", "arg0"},
		} {
			e, diags := onKernel(t, release, "probe "+c.point+" { print("+c.value+") }")
			if len(diags) > 0 || len(e.Probes) != 1 || len(e.Probes[0].Points) != 1 {
				t.Errorf("%s: %v", c.point, diags)
				continue
			}
			pt := e.Probes[0].Points[0]
			if pt.Family != c.family || pt.Name != c.name || pt.Module != "kvm" || !strings.HasPrefix(pt.Symbol, "kvm_") || pt.SymbolOffset != 0 {
				t.Errorf("%s: %+v", c.point, pt)
			}
			if maxactive := strings.Contains(c.point, "maxactive"); maxactive != (pt.Args[0] == 9) {
				t.Errorf("%s: %+v", c.point, pt)
			}
			if c.want != "" && values(e.Probes[0])[0] != c.want {
				t.Errorf("%s: %s is %q, want %q", c.point, c.value, values(e.Probes[0]), c.want)
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
		{`module("kvm").function("zzz*")`, `"zzz*" matches no function of module kvm`},
		{`module("kv*").function("zzz*")`, `has a function "zzz*" that can be probed`},
		{`kprobe.module("kvm").function("kvm_vcpu_ioctl").exported`, `"exported" can't follow`},
		{`module("ext4").function("ext4_readdir")`, `it is built into the kernel: write kernel instead of module("ext4")`},
	} {
		_, diags := onKernel(t, release, "probe "+c.point+" { }")
		if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, diags, c.want)
		}
	}
	e, diags := onKernel(t, release, `probe kprobe.module("kvm").function("kvm_vcpu_ioctl") { print($arg) }`)
	if len(diags) > 0 || !strings.Contains(values(e.Probes[0])[0], `kprobe probes have no target variables (module("kvm").function("kvm_vcpu_ioctl") has them)`) {
		t.Errorf("%v %q", diags, values(e.Probes[0]))
	}
}
