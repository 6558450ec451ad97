// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"strings"

	"gostap/internal/distro"
)

// Requirements of running scripts.

func (f Facts) rights() Finding {
	l := f.Live
	switch {
	case l.NoModules:
		return Finding{"rights", Error, "this kernel takes no modules (CONFIG_MODULES): scripts run in a VM with --vm only", ""}
	case l.ModulesDisabled:
		return Finding{"rights", Error, "this kernel takes no more modules until it is booted again (sysctl kernel.modules_disabled is 1)", "reboot"}
	case l.UID != 0:
		return Finding{"rights", Error, "only root may run scripts in this machine's kernel", "sudo gostap SCRIPT"}
	case !l.LoadModules || !l.Administer:
		return Finding{"rights", Error, "this root lacks CAP_SYS_MODULE or CAP_SYS_ADMIN, as in a container: scripts run outside of it, or in a VM with --vm", ""}
	}
	return Finding{"rights", OK, "root, who may load modules", ""}
}

func (f Facts) signing() Finding {
	l := f.Live
	locked := l.Lockdown != "" && l.Lockdown != "none"
	state := "the kernel takes modules that are not signed"
	switch {
	case locked && l.SecureBoot:
		state = "Secure Boot, lockdown=" + l.Lockdown
	case locked:
		state = "lockdown=" + l.Lockdown
	case l.SigEnforce:
		state = "module.sig_enforce=1"
	default:
		return Finding{"signing", OK, state, ""}
	}
	state += ": the kernel takes only modules that are signed with a key it trusts (docs/SIGNING.md)"
	if l.Lockdown == "confidentiality" {
		return Finding{"signing", Error, state + "; under lockdown=confidentiality gostap is not tested, and kprobes are refused", ""}
	}
	for _, k := range l.Keys {
		if k.Enrolled {
			return Finding{"signing", Note, state + "; " + k.Cert + " is enrolled", "gostap --sign " + k.Key + "," + k.Cert + " SCRIPT"}
		}
	}
	fix := ""
	if !l.Mokutil {
		if install := f.Distribution.Install(distro.Mokutil, distro.OpenSSL); install != "" {
			fix = install + " && "
		}
	}
	if len(l.Keys) > 0 {
		return Finding{"signing", Error, state + "; " + l.Keys[0].Cert + " is not enrolled as far as mokutil says", fix + "mokutil --import " + l.Keys[0].Cert + " && reboot"}
	}
	return Finding{"signing", Error, state + "; this machine has none of its own", fix + "openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=gostap/ -keyout mok.key -outform DER -out mok.der && mokutil --import mok.der && reboot"}
}

func (f Facts) ftrace() Finding {
	switch {
	case f.option("CONFIG_DYNAMIC_FTRACE") != "y":
		return Finding{"ftrace", Warning, "the kernel has none (CONFIG_DYNAMIC_FTRACE): functions are probed by breakpoints, which cost ten times as much", ""}
	case f.Live != nil && f.Live.FtraceEnabled == "0":
		return Finding{"ftrace", Warning, "is switched off (kernel.ftrace_enabled is 0): functions can't be probed at their entries", "sysctl kernel.ftrace_enabled=1"}
	}
	return Finding{"ftrace", OK, "functions' entries", ""}
}

func (f Facts) kprobes() Finding {
	switch {
	case f.option("CONFIG_KRETPROBES") != "y":
		return Finding{"kprobes", Warning, "the kernel has no kretprobes (CONFIG_KRETPROBES): returns of functions can't be probed", ""}
	case f.Live != nil && f.Live.KprobesEnabled == "0":
		return Finding{"kprobes", Warning, "are switched off: returns and statements are not hit", "echo 1 >/sys/kernel/debug/kprobes/enabled"}
	}
	return Finding{"kprobes", OK, "returns, statements, instructions", ""}
}

func (f Facts) uprobes() Finding {
	if f.option("CONFIG_UPROBES") != "y" {
		return Finding{"uprobes", Warning, "the kernel has none (CONFIG_UPROBES): programs can't be probed but for their beginnings and ends", ""}
	}
	return Finding{"uprobes", OK, "programs and libraries", ""}
}

func (f Facts) perf() Finding {
	switch {
	case f.option("CONFIG_PERF_EVENTS") != "y":
		return Finding{"perf", Warning, "the kernel has none (CONFIG_PERF_EVENTS): no perf.* probes, no watched data", ""}
	case f.Live != nil && !f.Live.Counters:
		return Finding{"perf", Note, "this machine's processor counts no events, as in many VMs: perf.sw.* is there, perf.hw.* is not", ""}
	}
	return Finding{"perf", OK, "counters, watched data", ""}
}

func (f Facts) vm() Finding {
	v := f.VM
	switch {
	case v.Release == "":
		return Finding{"VM", Note, "there is no kernel in /boot that --vm could run", first(cloudKernel(f.Distribution), f.Distribution.Image(f.Kernel.Release))}
	case v.Problem != "":
		return Finding{"VM", Note, v.Problem, ""}
	case len(v.Missing) > 0 && v.Install == "":
		return Finding{"VM", Note, "--vm is without " + strings.Join(v.Missing, ", ") + ", for which this distribution has no package", ""}
	case len(v.Missing) > 0:
		return Finding{"VM", Note, "--vm is without " + strings.Join(v.Missing, ", "), v.Install}
	}
	return Finding{"VM", OK, "qemu, virtiofsd, kernel " + v.Release, ""}
}

// cloudKernel is the package of the smallest kernel that works with --vm.
func cloudKernel(d distro.Distribution) string {
	if d.Family != "debian" {
		return ""
	}
	return "apt install linux-image-cloud-amd64 linux-headers-cloud-amd64"
}

func (f Facts) kvm() Finding {
	k := f.VM.KVM
	switch {
	case k.Usable && k.Tried == "fails":
		return Finding{"KVM", Note, "there is /dev/kvm, but guests do not come up under it, as where virtualization is nested: VMs are emulated, some ten times as slow", ""}
	case k.Usable:
		return Finding{"KVM", OK, "/dev/kvm", ""}
	case k.Device:
		return Finding{"KVM", Note, "this user may not open /dev/kvm: VMs are emulated, some ten times as slow", "sudo usermod -aG kvm $USER"}
	case k.Virtual && k.Intel:
		return Finding{"KVM", Note, "there is no /dev/kvm: VMs are emulated, some ten times as slow", "modprobe kvm_intel"}
	case k.Virtual:
		return Finding{"KVM", Note, "there is no /dev/kvm: VMs are emulated, some ten times as slow", "modprobe kvm_amd"}
	}
	return Finding{"KVM", Note, "this processor has no virtualization, or it is switched off: VMs are emulated, some ten times as slow", ""}
}
