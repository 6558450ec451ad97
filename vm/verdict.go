// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"gostap/internal/cache"
	"gostap/internal/kernels"
)

// kvmDevice is what qemu opens for KVM.
var kvmDevice = "/dev/kvm"

// verdict is what is known of KVM with one kernel image and one qemu, until the host reboots. That /dev/kvm opens says nothing,
// nor do a few instructions that run: where virtualisation is nested or emulated, qemu may abort or hang, or the guest stop
// half a minute into its boot. KVM works once the kernel has reached its init under it.
type verdict struct {
	release string
	of      string // what it is about
	words   string // "works", "fails", or "" if it has not been tried
}

// readVerdict returns what is known. KVM that can't be opened fails, but that is not kept.
func readVerdict(release, qemu string) verdict {
	v := verdict{release: release, words: "fails"}
	f, err := os.OpenFile(kvmDevice, os.O_RDWR, 0)
	if err != nil {
		return v
	}
	f.Close()
	about := sha256.New()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	about.Write(boot)
	for _, path := range []string{kernels.Find(release).Image(), qemu} {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(about, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	v.of = hex.EncodeToString(about.Sum(nil))
	text, _ := os.ReadFile(v.path())
	of, words, _ := strings.Cut(string(text), " ")
	v.words = ""
	if of == v.of {
		v.words = words
	}
	return v
}

// KVM says what is known of guests of a release under KVM since the host has booted: "works", "fails", also if /dev/kvm can't be
// opened, or "" if none has been tried.
func KVM(release string) string {
	qemu, _ := exec.LookPath("qemu-system-x86_64")
	return readVerdict(release, qemu).words
}

func (v *verdict) path() string { return cache.Path("vm", v.release, "kvm") }

// keep keeps what has been found out. If that fails it is found out again.
func (v *verdict) keep(words string) {
	if v.words != words {
		v.words = words
		_ = cache.Write(v.path(), []byte(v.of+" "+words))
	}
}
