// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import "golang.org/x/sys/unix"

// accelerator is a way for qemu to run a guest's code.
type accelerator struct {
	name string
	args []string
}

var kvm = accelerator{"under KVM", []string{"-accel", "kvm", "-cpu", "host"}}

// emulated is the way that works everywhere. Emulated CPUs take turns in one thread. With a thread each, qemu before 8.2 may go
// on running what it has translated of code that another CPU has just patched, such as the breakpoint that stands in a function
// for a moment while ftrace turns it on or off; the guest's kernel then dies of a breakpoint that nobody has set.
//
// It does without what costs an emulated processor more than it saves: fast strings, which it moves byte by byte, and page tables
// of five levels.
//
// What is translated has a gigabyte of address space, which is more than enough, and too much where that is limited (ulimit -v).
func emulated() accelerator {
	tcg := "tcg,thread=single"
	var space unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &space) == nil && space.Cur != unix.RLIM_INFINITY {
		tcg += ",tb-size=128"
	}
	return accelerator{"emulated", []string{"-accel", tcg, "-cpu", "max,-erms,-fsrm,-la57"}}
}

// deterministic makes the guest's clock count instructions, one per nanosecond: idle time is skipped.
// With the seed, the guest's random numbers are the same in each run, too.
var deterministic = accelerator{"emulated, counting instructions", []string{"-accel", "tcg,thread=single",
	"-icount", "shift=0,align=off,sleep=off", "-cpu", "max", "-seed", "1", "-rtc", "base=2024-01-01,clock=vm"}}
