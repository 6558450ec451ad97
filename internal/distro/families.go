// SPDX-License-Identifier: GPL-2.0-or-later

package distro

import "strings"

// The common names of packages.
const (
	GCC      = "gcc"
	Make     = "make"
	Binutils = "binutils"
	Qemu     = "qemu"
	// Virtiofsd is qemu's own, which it had until 7.2: /usr/lib/qemu/virtiofsd.
	Virtiofsd = "virtiofsd"
	Busybox   = "busybox" // linked statically
	Pahole    = "pahole"
	Mokutil   = "mokutil"
	OpenSSL   = "openssl"
	Diff      = "diffutils"
	Kmod      = "kmod"
)

// kernelPart is a part of a kernel that is packaged by itself.
type kernelPart int

const (
	headers kernelPart = iota
	image
	debuginfo
)

// A family is a group of distributions with the same names of packages.
type family struct {
	install    string
	names      map[string]string // packages that do not have their common name; "" for what is not packaged
	compilers  bool              // each version of gcc has a package of its name
	kernel     func(part kernelPart, release string) string
	debuginfod string
}

// pkg returns the family's name of a package, "" if it has none.
func (f family) pkg(name string) string {
	if i := strings.LastIndex(name, "gcc"); i >= 0 { // x86_64-linux-gnu-gcc-12, too
		if !f.compilers {
			return GCC
		}
		return name[i:]
	}
	if pkg, ok := f.names[name]; ok {
		return pkg
	}
	return name
}

// families are those that are known, by the ID that their members have among ID and ID_LIKE.
var families = map[string]family{
	"debian": {
		install:    "apt install",
		names:      map[string]string{Qemu: "qemu-system-x86", Virtiofsd: "qemu-system-common", Busybox: "busybox-static"},
		compilers:  true,
		kernel:     fixed("apt install linux-headers-%s", "apt install linux-image-%s", "apt install linux-image-%s-dbg"),
		debuginfod: "https://debuginfod.debian.net",
	},
	"ubuntu": {
		install:   "apt install",
		names:     map[string]string{Qemu: "qemu-system-x86", Virtiofsd: "qemu-system-common", Busybox: "busybox-static", Pahole: "dwarves"},
		compilers: true,
		// https://ubuntu.com/server/docs/debug-symbol-packages
		kernel: fixed("apt install linux-headers-%s", "apt install linux-image-%s",
			`apt install ubuntu-dbgsym-keyring && (. /etc/os-release; for s in "" -updates; do echo "deb http://ddebs.ubuntu.com $VERSION_CODENAME$s main universe"; done) >/etc/apt/sources.list.d/ddebs.list && apt update && apt install linux-image-%s-dbgsym`),
		debuginfod: "https://debuginfod.ubuntu.com",
	},
	"fedora": {
		install:    "dnf install",
		names:      map[string]string{Qemu: "qemu-system-x86-core", Virtiofsd: "", Busybox: "busybox", Pahole: "dwarves"},
		kernel:     fixed("dnf install kernel-devel-%s", "dnf install kernel-core-%s", "dnf --enablerepo='*debug*' install kernel-debuginfo-%s"),
		debuginfod: "https://debuginfod.fedoraproject.org",
	},
	"rhel": {
		install:    "dnf install",
		names:      map[string]string{Qemu: "", Virtiofsd: "", Busybox: "", Pahole: "dwarves"},
		kernel:     fixed("dnf install kernel-devel-%s", "dnf install kernel-core-%s", "dnf --enablerepo='*debug*' install kernel-debuginfo-%s"),
		debuginfod: "",
	},
	"suse": {
		install:    "zypper install",
		names:      map[string]string{Qemu: "qemu-x86", Virtiofsd: "", Busybox: "busybox-static", Pahole: "dwarves"},
		kernel:     suseKernel,
		debuginfod: "https://debuginfod.opensuse.org",
	},
	"arch": {
		install:    "pacman -S",
		names:      map[string]string{Qemu: "qemu-system-x86", Virtiofsd: ""},
		kernel:     archKernel,
		debuginfod: "https://debuginfod.archlinux.org",
	},
	"alpine": {
		install: "apk add",
		names:   map[string]string{Qemu: "qemu-system-x86_64", Virtiofsd: "", Busybox: "busybox-static"},
		kernel:  fixed("apk add linux-lts-dev", "apk add linux-lts", ""),
	},
}

// servers are debuginfod's of distributions whose family has none or another one.
var servers = map[string]string{
	"centos": "https://debuginfod.centos.org",
}

// fixed makes a family's kernel of three commands, in which %s is the release.
func fixed(commands ...string) func(kernelPart, string) string {
	return func(part kernelPart, release string) string {
		return strings.ReplaceAll(commands[part], "%s", release)
	}
}

// suseKernel names packages by the flavour, which ends the release: 6.4.0-150600.23.25-default. Without the version before it, zypper
// would install the headers of the newest kernel.
func suseKernel(part kernelPart, release string) string {
	version, flavour := "", release
	if i := strings.LastIndex(release, "-"); i >= 0 {
		version, flavour = release[:i], release[i+1:]
	}
	return map[kernelPart]string{
		headers:   "zypper install kernel-" + flavour + "-devel=" + version,
		image:     "zypper install kernel-" + flavour,
		debuginfo: "zypper --plus-content debug install kernel-" + flavour + "-debuginfo",
	}[part]
}

// archKernel names packages by the flavour, which ends the release, but for the ordinary one: 6.10.2-arch1-1, 6.6.44-1-lts.
func archKernel(part kernelPart, release string) string {
	name := "linux"
	for _, flavour := range []string{"lts", "zen", "hardened", "rt", "rt-lts"} {
		if strings.HasSuffix(release, "-"+flavour) {
			name = "linux-" + flavour
		}
	}
	return map[kernelPart]string{
		headers: "pacman -S " + name + "-headers",
		image:   "pacman -S " + name,
	}[part] // debuginfo is on the server alone
}
