// SPDX-License-Identifier: GPL-2.0-or-later

package distro

import (
	"regexp"
	"strings"

	"gostap/internal/lazyregexp"
)

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
	releases   func() *regexp.Regexp // matches the releases of the family's kernels, and few that others have built
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

// The releases of kernels: 6.1.0-56-cloud-amd64, 6.12.117+deb12-cloud-amd64 and 6.8.0-41-generic; 6.10.6-200.fc40.x86_64, 5.14.0-427.el9.x86_64;
// 6.4.0-150600.23.25-default; 6.10.2-arch1-1, 6.6.44-1-lts, 6.10.6-zen1-1-zen; 6.6.50-0-lts.
var (
	debianRelease = lazyregexp.MustCompile(`^\d+\.\d+\.\d+(-\d[\w.]*|\+(deb|bpo)\w*)-[a-z][a-z0-9-]*$`)
	fedoraRelease = lazyregexp.MustCompile(`\.(fc|el|amzn)[\d_]+\.\w+$`)
	suseRelease   = lazyregexp.MustCompile(`^[\d.]+-[\w.]+-(default|azure|preempt|rt|kvmsmall|longterm|vanilla)$`)
	archRelease   = lazyregexp.MustCompile(`-(arch\d+-\d+|lts|zen|hardened|rt|rt-lts)$`)
	alpineRelease = lazyregexp.MustCompile(`-\d+-lts$`)
)

// families are those that are known, by the ID that their members have among ID and ID_LIKE.
var families = map[string]family{
	"debian": {
		install:    "apt install",
		names:      map[string]string{Qemu: "qemu-system-x86", Virtiofsd: "qemu-system-common", Busybox: "busybox-static"},
		compilers:  true,
		kernel:     fixed("apt install linux-headers-%s", "apt install linux-image-%s", "apt install linux-image-%s-dbg"),
		debuginfod: "https://debuginfod.debian.net",
		releases:   debianRelease,
	},
	"ubuntu": {
		install:   "apt install",
		names:     map[string]string{Qemu: "qemu-system-x86", Virtiofsd: "qemu-system-common", Busybox: "busybox-static", Pahole: "dwarves"},
		compilers: true,
		// https://ubuntu.com/server/docs/debug-symbol-packages
		kernel: fixed("apt install linux-headers-%s", "apt install linux-image-%s",
			`apt install ubuntu-dbgsym-keyring && (. /etc/os-release; for s in "" -updates; do echo "deb http://ddebs.ubuntu.com $VERSION_CODENAME$s main universe"; done) >/etc/apt/sources.list.d/ddebs.list && apt update && apt install linux-image-%s-dbgsym`),
		debuginfod: "https://debuginfod.ubuntu.com",
		releases:   debianRelease,
	},
	"fedora": {
		install:    "dnf install",
		names:      map[string]string{Qemu: "qemu-system-x86-core", Virtiofsd: "", Busybox: "busybox", Pahole: "dwarves"},
		kernel:     fixed("dnf install kernel-devel-%s", "dnf install kernel-core-%s", "dnf --enablerepo='*debug*' install kernel-debuginfo-%s"),
		debuginfod: "https://debuginfod.fedoraproject.org",
		releases:   fedoraRelease,
	},
	"rhel": {
		install:    "dnf install",
		names:      map[string]string{Qemu: "", Virtiofsd: "", Busybox: "", Pahole: "dwarves"},
		kernel:     fixed("dnf install kernel-devel-%s", "dnf install kernel-core-%s", "dnf --enablerepo='*debug*' install kernel-debuginfo-%s"),
		debuginfod: "",
		releases:   fedoraRelease,
	},
	"suse": {
		install:    "zypper install",
		names:      map[string]string{Qemu: "qemu-x86", Virtiofsd: "", Busybox: "busybox-static", Pahole: "dwarves"},
		kernel:     suseKernel,
		debuginfod: "https://debuginfod.opensuse.org",
		releases:   suseRelease,
	},
	"arch": {
		install:    "pacman -S",
		names:      map[string]string{Qemu: "qemu-system-x86", Virtiofsd: ""},
		kernel:     archKernel,
		debuginfod: "https://debuginfod.archlinux.org",
		releases:   archRelease,
	},
	"alpine": {
		install:  "apk add",
		names:    map[string]string{Qemu: "qemu-system-x86_64", Virtiofsd: "", Busybox: "busybox-static"},
		kernel:   fixed("apk add linux-lts-dev", "apk add linux-lts", ""),
		releases: alpineRelease,
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
