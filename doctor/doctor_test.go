// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"strings"
	"testing"

	"gostap/internal/distro"
	modulebuild "gostap/module-build"
)

const release = "6.1.0-56-amd64"

// healthy are the facts of a Debian machine that lacks nothing.
func healthy() Facts {
	options := map[string]string{"CONFIG_DEBUG_INFO_BTF_MODULES": "y", "CONFIG_DYNAMIC_FTRACE": "y", "CONFIG_KRETPROBES": "y", "CONFIG_UPROBES": "y", "CONFIG_PERF_EVENTS": "y"}
	for _, name := range needed {
		options[name] = "y"
	}
	return Facts{
		Distribution: distro.Parse("ID=debian\n"),
		Kernel:       Kernel{Release: release, BuildID: "abcd", BTF: true, Options: options},
		Needs: modulebuild.Needs{Build: "/build", Tools: []modulebuild.Tool{
			{Name: "make", Path: "/usr/bin/make", Package: distro.Make},
			{Name: "gcc-12", Path: "/usr/bin/gcc-12", Package: "gcc-12"},
			{Name: "ld", Path: "/usr/bin/ld", Package: distro.Binutils}}},
		Debuginfo: Debuginfo{Path: "/usr/lib/debug/boot/vmlinux-" + release},
		Live: &Live{LoadModules: true, Administer: true, Lockdown: "none", FtraceEnabled: "1", KprobesEnabled: "1", Counters: true,
			Mokutil: true},
		Cache: Cache{Root: "/c", FreeMB: 5000},
		VM:    VM{Release: release, KVM: KVM{Device: true, Usable: true, Tried: "works"}},
	}
}

func TestHealthy(t *testing.T) {
	list := Examine(healthy())
	if len(list) != 17 {
		t.Errorf("%d findings", len(list))
	}
	for _, f := range list {
		if f.Status != OK || f.Fix != "" || f.Text == "" {
			t.Errorf("%+v", f)
		}
	}
	if w := Worst(list); w != OK {
		t.Error(w)
	}
}

// Each case breaks one thing, which is then the only finding; consequences of it are not reported
// again.
func TestOneMissing(t *testing.T) {
	for _, c := range []struct {
		name, subject string
		status        Status
		text, fix     string
		do            func(f *Facts)
	}{
		{"cache", "cache", Error, "/c can't be written (permission denied)", "export GOSTAP_CACHE=/var/tmp/gostap", func(f *Facts) { f.Cache.Problem = "permission denied" }},
		{"cache, and so the kernel", "cache", Error, "can't be written", "export GOSTAP_CACHE=/var/tmp/gostap", func(f *Facts) {
			f.Cache.Problem, f.Kernel.Problem = "permission denied", "nothing can be kept in the cache"
		}},
		{"space", "cache", Warning, "/c has 7 MB left", "rm -r /c/module", func(f *Facts) { f.Cache.FreeMB = 7 }},
		{"image", "kernel", Error, "nothing in it can be probed: no kernel image", "apt install linux-image-" + release,
			func(f *Facts) {
				f.Kernel.Problem, f.Kernel.Missing = "no kernel image", true
			}},
		{"option", "options", Error, "without CONFIG_RELAY, which", "", func(f *Facts) { f.Kernel.Options["CONFIG_RELAY"] = "" }},
		{"no kprobes", "options", Error, "without CONFIG_KPROBES, which", "", func(f *Facts) { f.Kernel.Options["CONFIG_KPROBES"] = "" }},
		{"BTF", "BTF", Warning, "pahole, which makes it of the debuginfo, is missing", "apt install pahole", func(f *Facts) { f.Kernel.BTF = false }},
		{"debuginfo", "debuginfo", Note, "not installed", "apt install linux-image-" + release + "-dbg", func(f *Facts) { f.Debuginfo.Path = "" }},
		{"other debuginfo", "debuginfo", Warning, "of another build", "apt install linux-image-" + release + "-dbg", func(f *Facts) { f.Debuginfo = Debuginfo{Problem: "of another build"} }},
		{"program", "program", Warning, "/bin/x has no debuginfo", "export DEBUGINFOD_URLS=https://debuginfod.debian.net",
			func(f *Facts) { f.Program = &Program{Path: "/bin/x", BuildID: "ab"} }},
		{"asked servers", "program", Warning, "and https://x none of build-id ab", "", func(f *Facts) { f.Program = &Program{Path: "/bin/x", BuildID: "ab", Servers: []string{"https://x"}} }},
		{"no build-id", "program", Warning, "compile it with -g", "", func(f *Facts) { f.Program = &Program{Path: "/bin/x"} }},
		{"headers", "headers", Error, "looked for /m/build/Makefile", "apt install linux-headers-" + release, func(f *Facts) { f.Needs = modulebuild.Needs{Missing: "/m/build/Makefile"} }},
		{"no modules", "rights", Error, "takes no modules", "", func(f *Facts) { f.Live.NoModules, f.Live.SigEnforce = true, true }},
		{"make", "make", Error, "make is missing", "apt install make", func(f *Facts) { f.Needs.Tools[0].Path = "" }},
		{"compiler", "compiler", Error, "gcc-12 is missing", "apt install gcc-12", func(f *Facts) { f.Needs.Tools[1].Path = "" }},
		{"linker", "linker", Error, "ld is missing", "apt install binutils", func(f *Facts) { f.Needs.Tools[2].Path = "" }},
		{"user", "rights", Error, "only root", "sudo gostap SCRIPT", func(f *Facts) { f.Live.UID = 1000 }},
		{"container", "rights", Error, "CAP_SYS_MODULE", "", func(f *Facts) { f.Live.LoadModules = false }},
		{"modules disabled", "rights", Error, "until it is booted again", "reboot", func(f *Facts) { f.Live.ModulesDisabled = true }},
		{"lockdown", "signing", Error, "Secure Boot, lockdown=integrity", "openssl req", func(f *Facts) { f.Live.Lockdown, f.Live.SecureBoot = "integrity", true }},
		{"no mokutil", "signing", Error, "lockdown=integrity", "apt install mokutil openssl && openssl req", func(f *Facts) { f.Live.Lockdown, f.Live.Mokutil = "integrity", false }},
		{"key", "signing", Error, "k.pub is not enrolled", "mokutil --import k.pub && reboot", func(f *Facts) { f.Live.SigEnforce, f.Live.Keys = true, []Key{{"k", "k.pub", false}} }},
		{"enrolled", "signing", Note, "l.pub is enrolled", "gostap --sign l,l.pub SCRIPT", func(f *Facts) {
			f.Live.SigEnforce, f.Live.Keys = true, []Key{{"k", "k.pub", false}, {"l", "l.pub", true}}
		}},
		{"confidential", "signing", Error, "not tested", "", func(f *Facts) { f.Live.Lockdown = "confidentiality" }},
		{"no ftrace", "ftrace", Warning, "CONFIG_DYNAMIC_FTRACE", "", func(f *Facts) { f.Kernel.Options["CONFIG_DYNAMIC_FTRACE"] = "" }},
		{"ftrace off", "ftrace", Warning, "switched off", "sysctl kernel.ftrace_enabled=1", func(f *Facts) { f.Live.FtraceEnabled = "0" }},
		{"kprobes off", "kprobes", Warning, "switched off", "echo 1 >/sys/kernel/debug/kprobes/enabled", func(f *Facts) { f.Live.KprobesEnabled = "0" }},
		{"uprobes", "uprobes", Warning, "CONFIG_UPROBES", "", func(f *Facts) { f.Kernel.Options["CONFIG_UPROBES"] = "" }},
		{"perf", "perf", Note, "counts no events", "", func(f *Facts) { f.Live.Counters = false }},
		{"qemu", "VM", Note, "--vm is without qemu", "apt install q", func(f *Facts) { f.VM.Missing, f.VM.Install = []string{"qemu"}, "apt install q" }},
		{"VM's kernel", "VM", Note, "no kernel in /boot", "apt install linux-image-cloud-amd64 linux-headers-cloud-amd64", func(f *Facts) { f.VM.Release = "" }},
		{"KVM's rights", "KVM", Note, "may not open", "sudo usermod -aG kvm $USER", func(f *Facts) { f.VM.KVM.Usable = false }},
		{"KVM's driver", "KVM", Note, "no /dev/kvm", "modprobe kvm_intel", func(f *Facts) { f.VM.KVM = KVM{Virtual: true, Intel: true} }},
		{"nested", "KVM", Note, "do not come up", "", func(f *Facts) { f.VM.KVM.Tried = "fails" }},
	} {
		facts := healthy()
		c.do(&facts)
		list, bad := Examine(facts), 0
		for _, f := range list {
			if f.Subject == c.subject && f.Status == c.status {
				bad++
				if !strings.Contains(f.Text, c.text) || !strings.HasPrefix(f.Fix, c.fix) || c.fix == "" && f.Fix != "" {
					t.Errorf("%s: %+v", c.name, f)
				}
			} else if f.Status == Error || f.Status == Warning {
				t.Errorf("%s: %+v, too", c.name, f)
			}
		}
		if bad != 1 || Worst(list) != c.status {
			t.Errorf("%s: found %d times; worst: %s", c.name, bad, Worst(list))
		}
	}
}

// The commands on each distribution if everything is missing.
func TestElsewhere(t *testing.T) {
	for _, c := range []struct{ text, release, fixes string }{
		{"ID=debian\n", release, `
BTF: apt install linux-image-6.1.0-56-amd64-dbg pahole
debuginfo: apt install linux-image-6.1.0-56-amd64-dbg
program: export DEBUGINFOD_URLS=https://debuginfod.debian.net
headers: apt install linux-headers-6.1.0-56-amd64
make: apt install make
compiler: apt install gcc-12
linker: apt install binutils
signing: apt install mokutil openssl && MOK
VM: apt install qemu-system-x86 qemu-system-common busybox-static
`},
		{"ID=ubuntu\nID_LIKE=debian\n", "6.8.0-41-generic", `
BTF: apt install ubuntu-dbgsym-keyring && (. /etc/os-release; for s in "" -updates; do echo "deb http://ddebs.ubuntu.com $VERSION_CODENAME$s main universe"; done) >/etc/apt/sources.list.d/ddebs.list && apt update && apt install linux-image-6.8.0-41-generic-dbgsym dwarves
debuginfo: apt install ubuntu-dbgsym-keyring && (. /etc/os-release; for s in "" -updates; do echo "deb http://ddebs.ubuntu.com $VERSION_CODENAME$s main universe"; done) >/etc/apt/sources.list.d/ddebs.list && apt update && apt install linux-image-6.8.0-41-generic-dbgsym
program: export DEBUGINFOD_URLS=https://debuginfod.ubuntu.com
headers: apt install linux-headers-6.8.0-41-generic
make: apt install make
compiler: apt install gcc-12
linker: apt install binutils
signing: apt install mokutil openssl && MOK
VM: apt install qemu-system-x86 qemu-system-common busybox-static
`},
		{"ID=fedora\n", "6.10.6-200.fc40.x86_64", `
BTF: dnf --enablerepo='*debug*' install kernel-debuginfo-6.10.6-200.fc40.x86_64 dwarves
debuginfo: dnf --enablerepo='*debug*' install kernel-debuginfo-6.10.6-200.fc40.x86_64
program: export DEBUGINFOD_URLS=https://debuginfod.fedoraproject.org
headers: dnf install kernel-devel-6.10.6-200.fc40.x86_64
make: dnf install make
compiler: dnf install gcc
linker: dnf install binutils
signing: dnf install mokutil openssl && MOK
`},
		{"ID=rhel\nID_LIKE=fedora\n", "5.14.0-427.el9.x86_64", `
BTF: dnf --enablerepo='*debug*' install kernel-debuginfo-5.14.0-427.el9.x86_64 dwarves
debuginfo: dnf --enablerepo='*debug*' install kernel-debuginfo-5.14.0-427.el9.x86_64
headers: dnf install kernel-devel-5.14.0-427.el9.x86_64
make: dnf install make
compiler: dnf install gcc
linker: dnf install binutils
signing: dnf install mokutil openssl && MOK
`},
		{"ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n", "6.4.0-150600.23.25-default", `
BTF: zypper --plus-content debug install kernel-default-debuginfo dwarves
debuginfo: zypper --plus-content debug install kernel-default-debuginfo
program: export DEBUGINFOD_URLS=https://debuginfod.opensuse.org
headers: zypper install kernel-default-devel=6.4.0-150600.23.25
make: zypper install make
compiler: zypper install gcc
linker: zypper install binutils
signing: zypper install mokutil openssl && MOK
`},
		{"ID=arch\n", "6.10.6-arch1-1", `
debuginfo: export DEBUGINFOD_URLS=https://debuginfod.archlinux.org
program: export DEBUGINFOD_URLS=https://debuginfod.archlinux.org
headers: pacman -S linux-headers
make: pacman -S make
compiler: pacman -S gcc
linker: pacman -S binutils
signing: pacman -S mokutil openssl && MOK
`},
		{"ID=nixos\n", "6.6.47", `
signing: MOK
`},
		{"ID=debian\n", "6.18.44-fc-v595", `
program: export DEBUGINFOD_URLS=https://debuginfod.debian.net
make: apt install make
compiler: apt install gcc-12
linker: apt install binutils
signing: apt install mokutil openssl && MOK
VM: apt install qemu-system-x86 qemu-system-common busybox-static
`},
	} {
		var fixes strings.Builder
		for _, found := range Examine(lacking(distro.Parse(c.text), c.release)) {
			if found.Fix != "" {
				fmt.Fprintf(&fixes, "%s: %s\n", found.Subject, found.Fix)
			}
		}
		if want := strings.ReplaceAll(strings.TrimPrefix(c.fixes, "\n"), "MOK", newKey); fixes.String() != want {
			t.Errorf("%s%s:\n%swant:\n%s", c.text, c.release, &fixes, want)
		}
	}
}

// newKey makes and enrols a key.
const newKey = "openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=gostap/ -keyout mok.key -outform DER -out mok.der && mokutil --import mok.der && reboot"

// lacking are the facts of a machine without anything that a package has.
func lacking(d distro.Distribution, release string) Facts {
	f := healthy()
	f.Distribution = d
	f.Kernel.Release, f.Kernel.BTF, f.Debuginfo = release, false, Debuginfo{}
	f.Program = &Program{Path: "/bin/x", BuildID: "ab"}
	f.Needs.Missing = "/x"
	for i := range f.Needs.Tools {
		f.Needs.Tools[i].Path = ""
	}
	f.Live.Lockdown, f.Live.Mokutil = "integrity", false
	f.VM = VM{Missing: []string{"qemu"}, Release: release, Install: d.Install(distro.Qemu, distro.Virtiofsd, distro.Busybox)}
	return f
}

// If a kernel's configuration is unknown, nothing is reported about options; rights are only checked
// for the running kernel.
func TestUnknown(t *testing.T) {
	f := healthy()
	f.Kernel.Options, f.Live = nil, nil
	for _, found := range Examine(f) {
		switch found.Subject {
		case "ftrace", "kprobes", "uprobes", "perf", "rights", "signing":
			t.Errorf("%+v", found)
		case "options":
			if found.Status != Note {
				t.Errorf("%+v", found)
			}
		}
	}
}

// Probe and Examine work on this machine.
func TestProbe(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	t.Setenv("DEBUGINFOD_URLS", "")
	f := Probe("", "/proc/self/exe")
	if f.Live == nil || f.Kernel.Release != runningRelease() || f.Cache.Problem != "" || f.Cache.FreeMB == 0 {
		t.Errorf("%+v", f)
	}
	if f.Program == nil || f.Program.Problem != "" || !strings.Contains(f.Program.Path, "doctor.test") {
		t.Errorf("%+v", f.Program)
	}
	if f := Probe("9.9.9-none", "/nonexistent"); f.Live != nil || !f.Kernel.Missing || f.Needs.Missing == "" || f.Program.Problem == "" || f.Debuginfo.Path != "" {
		t.Errorf("%+v", f)
	}
}
