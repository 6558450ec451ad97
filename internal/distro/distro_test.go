// SPDX-License-Identifier: GPL-2.0-or-later

package distro

import "testing"

// The relevant lines of os-release files of distributions.
const (
	debian   = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n"
	ubuntu   = "PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\nID_LIKE=debian\n"
	mint     = "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"
	fedora   = "NAME=\"Fedora Linux\"\nID=fedora\nPRETTY_NAME=\"Fedora Linux 40 (Server Edition)\"\n"
	rhel     = "ID=\"rhel\"\nID_LIKE=\"fedora\"\n"
	rocky    = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"
	centos   = "ID=\"centos\"\nID_LIKE=\"rhel fedora\"\n"
	leap     = "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n"
	sles     = "ID=\"sles\"\nID_LIKE=\"suse\"\n"
	arch     = "ID=arch\n"
	endeavor = "ID='endeavouros'\nID_LIKE='arch'\n"
	unknown  = "ID=slackware\n"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct{ name, text, release, family, compiler, headers, debuginfo, server string }{
		{"debian", debian, "6.1.0-56-amd64", "debian", "apt install gcc-12 make", "apt install linux-headers-6.1.0-56-amd64",
			"apt install linux-image-6.1.0-56-amd64-dbg pahole", "https://debuginfod.debian.net"},
		{"mint", mint, "6.8.0-41-generic", "ubuntu", "apt install gcc-12 make", "apt install linux-headers-6.8.0-41-generic",
			`apt install ubuntu-dbgsym-keyring && (. /etc/os-release; for s in "" -updates; do echo "deb http://ddebs.ubuntu.com $VERSION_CODENAME$s main universe"; done) >/etc/apt/sources.list.d/ddebs.list && apt update && apt install linux-image-6.8.0-41-generic-dbgsym dwarves`,
			"https://debuginfod.ubuntu.com"},
		{"ubuntu", ubuntu, "6.8.0-41-generic", "ubuntu", "apt install gcc-12 make", "apt install linux-headers-6.8.0-41-generic", "", "https://debuginfod.ubuntu.com"},
		{"fedora", fedora, "6.10.6-200.fc40.x86_64", "fedora", "dnf install gcc make", "dnf install kernel-devel-6.10.6-200.fc40.x86_64",
			"dnf --enablerepo='*debug*' install kernel-debuginfo-6.10.6-200.fc40.x86_64 dwarves", "https://debuginfod.fedoraproject.org"},
		{"rhel", rhel, "5.14.0-427.el9.x86_64", "rhel", "dnf install gcc make", "dnf install kernel-devel-5.14.0-427.el9.x86_64", "", ""},
		{"rocky", rocky, "5.14.0-427.el9.x86_64", "rhel", "dnf install gcc make", "dnf install kernel-devel-5.14.0-427.el9.x86_64", "", ""},
		{"centos", centos, "5.14.0-503.el9.x86_64", "rhel", "dnf install gcc make", "dnf install kernel-devel-5.14.0-503.el9.x86_64", "", "https://debuginfod.centos.org"},
		{"leap", leap, "6.4.0-150600.23.25-default", "suse", "zypper install gcc make", "zypper install kernel-default-devel=6.4.0-150600.23.25",
			"zypper --plus-content debug install kernel-default-debuginfo dwarves", "https://debuginfod.opensuse.org"},
		{"sles", sles, "6.4.0-150600.23.25-azure", "suse", "zypper install gcc make", "zypper install kernel-azure-devel=6.4.0-150600.23.25", "", "https://debuginfod.opensuse.org"},
		{"arch", arch, "6.10.6-arch1-1", "arch", "pacman -S gcc make", "pacman -S linux-headers", "", "https://debuginfod.archlinux.org"},
		{"endeavouros", endeavor, "6.6.47-1-lts", "arch", "pacman -S gcc make", "pacman -S linux-lts-headers", "", "https://debuginfod.archlinux.org"},
		{"unknown", unknown, "5.15.19", "", "", "", "", ""},
	} {
		d := Parse(c.text)
		if d.Family != c.family {
			t.Errorf("%s: family %q", c.name, d.Family)
		}
		if got := d.Install("x86_64-linux-gnu-gcc-12", Make, Make); got != c.compiler {
			t.Errorf("%s: compiler: %q", c.name, got)
		}
		if got := d.Headers(c.release); got != c.headers {
			t.Errorf("%s: headers: %q", c.name, got)
		}
		if got := d.KernelDebuginfo(c.release, Pahole); c.debuginfo != "" && got != c.debuginfo {
			t.Errorf("%s: debuginfo: %q", c.name, got)
		}
		if d.Foreign(c.release) {
			t.Errorf("%s: %s is foreign", c.name, c.release)
		}
		if got := d.Debuginfod(); got != c.server {
			t.Errorf("%s: server: %q", c.name, got)
		}
	}
	for text, name := range map[string]string{debian: "Debian GNU/Linux 12 (bookworm)", mint: "Linux Mint", arch: "arch", "": ""} {
		if got := Parse(text).Name; got != name {
			t.Errorf("%s: name %q", text, got)
		}
	}
	if got := Parse(rocky).Install(Make, Qemu); got != "" {
		t.Errorf("what has no package: %q", got)
	}
}

// The kernels of distributions have packages there, others none.
func TestForeign(t *testing.T) {
	own := map[string][]string{
		debian: {"6.1.0-56-amd64", "6.1.0-56-cloud-amd64", "6.1.0-0.deb11.21-rt-amd64", "6.12.117+deb12-cloud-amd64", "6.12.9+bpo-amd64", "5.10.0-32-amd64"},
		ubuntu: {"6.8.0-41-generic", "5.15.0-1051-aws", "6.8.0-31-lowlatency", "6.5.0-1018-nvidia-64k"},
		fedora: {"6.10.6-200.fc40.x86_64"},
		rhel:   {"4.18.0-553.el8_10.x86_64", "5.14.0-427.13.1.el9_4.x86_64"},
		leap:   {"6.4.0-150600.23.25-default", "5.14.21-150400.24.100-azure"},
		arch:   {"6.10.6-arch1-1", "6.6.47-1-lts", "6.10.6-zen1-1-zen"},
	}
	for text, releases := range own {
		d := Parse(text)
		for _, release := range releases {
			if d.Foreign(release) || d.Headers(release) == "" {
				t.Errorf("%s: %s is foreign", d.ID, release)
			}
		}
		for _, release := range []string{"6.18.44-fc-v595", "6.10.6", "6.10.6-mine", "5.15.153.1-microsoft-standard-WSL2", "6.1.0-custom-default-1"} {
			if !d.Foreign(release) || d.Headers(release)+d.Image(release)+d.KernelDebuginfo(release) != "" {
				t.Errorf("%s: %s is not foreign", d.ID, release)
			}
		}
	}
	if Parse(unknown).Foreign("6.10.6-mine") {
		t.Error("a kernel is foreign to a distribution that is not known")
	}
}
