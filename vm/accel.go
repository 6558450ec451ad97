// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gostap/internal/cache"
)

// acceleration returns qemu's arguments for the fastest way to run guest code that works here.
//
// Emulated CPUs take turns in one thread. With a thread each, qemu before 8.2 may go on running what it
// has translated of code that another CPU has just patched, such as the breakpoint that stands in a function for a moment
// while ftrace turns it on or off; the guest's kernel then dies of a breakpoint that nobody has set.
func acceleration(qemu string) []string {
	if kvmWorks(qemu) {
		return []string{"-accel", "kvm", "-cpu", "host"}
	}
	return []string{"-accel", "tcg,thread=single", "-cpu", "max"}
}

// deterministic makes the guest's clock count instructions, one per nanosecond: idle time is skipped.
// With the seed, the guest's random numbers are the same in each run, too.
var deterministic = []string{"-accel", "tcg,thread=single", "-icount", "shift=0,align=off,sleep=off", "-cpu", "max",
	"-seed", "1", "-rtc", "base=2024-01-01,clock=vm"}

// kvmWorks reports whether a guest really runs under KVM: where virtualisation is nested or emulated, /dev/kvm may open
// and qemu then hang or abort. The verdict is cached until the host reboots.
func kvmWorks(qemu string) bool {
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.Close()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return false
	}
	verdict := cache.Path("vm", "kvm")
	head := strings.TrimSpace(string(boot)) + " "
	if old, err := os.ReadFile(verdict); err == nil && strings.HasPrefix(string(old), head) {
		return string(old) == head+"works"
	}
	works := probeKVM(qemu)
	word := "fails"
	if works {
		word = "works"
	}
	cache.Write(verdict, []byte(head+word))
	return works
}

// probeKVM runs four instructions under KVM: a BIOS that at the reset vector makes qemu exit with a status of its own.
func probeKVM(qemu string) bool {
	const status = 0x31
	bios := make([]byte, 64<<10)
	copy(bios[0xfff0:], []byte{
		0xb0, status, // mov al, status
		0xe6, 0xf4, // out 0xf4, al: the debug-exit device
		0xf4, // hlt
	})
	dir, err := os.MkdirTemp("", "gostap-kvm-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "bios")
	if os.WriteFile(file, bios, 0o600) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, qemu, "-accel", "kvm", "-cpu", "host", "-M", "pc", "-m", "16", "-nodefaults",
		"-no-user-config", "-display", "none", "-bios", file, "-device", "isa-debug-exit,iobase=0xf4,iosize=4")
	cmd.SysProcAttr = childAttributes()
	cmd.Run()
	return cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == status<<1|1
}
