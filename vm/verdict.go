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

// kvmDevice is the device that qemu opens for KVM.
var kvmDevice = "/dev/kvm"

// verdict is the known result of KVM with one kernel image and one qemu, valid until the host reboots.
// That /dev/kvm can be opened proves nothing, nor do a few instructions that run: if virtualisation is
// nested or emulated, qemu may abort or hang, or the guest may stop half a minute into its boot. KVM
// works if the kernel has reached its init under it.
type verdict struct {
	release string
	of      string // identifies the boot, image and qemu
	words   string // "works", "fails", or "" if it has not been tried
}

// readVerdict returns the stored verdict. If KVM can't be opened the verdict is "fails", but that is
// not stored.
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

// KVM returns the verdict for a release since the host has booted: "works", "fails" (also if /dev/kvm
// can't be opened), or "" if it has not been tried.
func KVM(release string) string {
	qemu, _ := exec.LookPath("qemu-system-x86_64")
	return readVerdict(release, qemu).words
}

func (v *verdict) path() string { return cache.Path("vm", v.release, "kvm") }

// keep stores the verdict. An error is ignored, as the next boot then finds out again.
func (v *verdict) keep(words string) {
	if v.words != words {
		v.words = words
		_ = cache.Write(v.path(), []byte(v.of+" "+words))
	}
}
