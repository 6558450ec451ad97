// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import "golang.org/x/sys/unix"

// accelerator is a way for qemu to run a guest's code.
type accelerator struct {
	name string
	args []string
}

var kvm = accelerator{"under KVM", []string{"-accel", "kvm", "-cpu", "host"}}

// emulated is the accelerator that works everywhere. Emulated CPUs take turns in one thread. With a
// thread for each CPU, qemu before 8.2 may continue to execute its translation of code that another CPU
// has just patched, such as the breakpoint that ftrace writes temporarily into a function when it is
// enabled or disabled; the guest's kernel then panics at a breakpoint that does not exist.
//
// Features are disabled that cost an emulated processor more than they save: fast strings, which it
// copies byte by byte, and page tables of five levels.
//
// The translation buffer has a gigabyte of address space by default, more than is needed, and too much
// if address space is limited (ulimit -v).
func emulated() accelerator {
	tcg := "tcg,thread=single"
	var space unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &space) == nil && space.Cur != unix.RLIM_INFINITY {
		tcg += ",tb-size=128"
	}
	return accelerator{"emulated", []string{"-accel", tcg, "-cpu", "max,-erms,-fsrm,-la57"}}
}

// deterministic makes the guest's clock count instructions, one per nanosecond; idle time is skipped.
// With the seed, the guest's random numbers are also the same in each run.
var deterministic = accelerator{"emulated, counting instructions", []string{"-accel", "tcg,thread=single",
	"-icount", "shift=0,align=off,sleep=off", "-cpu", "max", "-seed", "1", "-rtc", "base=2024-01-01,clock=vm"}}
