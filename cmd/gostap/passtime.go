// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A passStart is the time at a pass's start, with the processor time used until then.
type passStart struct {
	real      time.Time
	user, sys time.Duration
}

func startPass() passStart {
	user, sys := processorTime()
	return passStart{time.Now(), user, sys}
}

// processorTime returns the processor time of this process and its children that have ended.
func processorTime() (user, sys time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) == nil {
			user += time.Duration(r.Utime.Nano())
			sys += time.Duration(r.Stime.Nano())
		}
	}
	return user, sys
}

// passed prints, for -v, how long the last pass took.
func (inv *invocation) passed(name string, start passStart) {
	if inv.stap {
		fmt.Fprintf(os.Stderr, "Pass %d: %s\n", inv.number, inv.stapRemark(start))
		return
	}
	took := float64(time.Since(start.real).Microseconds()) / 1000
	fmt.Fprintf(os.Stderr, "Pass %d: %-10s %9.1f ms%s\n", inv.number, name, took, inv.remark)
}

// took is the time since then in the form of stap -v: 10usr/20sys/41real ms.
func (s passStart) took() string {
	user, sys := processorTime()
	return fmt.Sprintf("%dusr/%dsys/%dreal ms", (user - s.user).Milliseconds(), (sys - s.sys).Milliseconds(), time.Since(s.real).Milliseconds())
}

// memoryUse is this process's memory in the form of stap -v.
func memoryUse() string {
	var size, resident, shared, text, lib, data int64
	if stat, err := os.ReadFile("/proc/self/statm"); err == nil {
		fmt.Sscan(strings.TrimSpace(string(stat)), &size, &resident, &shared, &text, &lib, &data)
	}
	page := int64(os.Getpagesize()) / 1024
	return fmt.Sprintf("using %dvirt/%dres/%dshr/%ddata kb,", size*page, resident*page, shared*page, data*page)
}
