// SPDX-License-Identifier: GPL-2.0-or-later

// Package bounded runs tests of hostile data with limits of time and memory, and
// makes panics errors.
package bounded

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"gostap/internal/panics"
)

// Limits bound what some work may use; 0: unlimited.
type Limits struct {
	Time      time.Duration // processor time, which does not depend on a machine's load
	Wall      time.Duration
	Heap      uint64 // bytes at a time, of all that the process has
	Allocated uint64 // bytes in all
}

// Run runs work. The error is that of work, or describes the limit that was exceeded, or the panic.
// Work that has exceeded a limit continues in the background.
func (l Limits) Run(work func() error) error {
	began, processors, allocated := time.Now(), processorTime(), memory().TotalAlloc
	done := make(chan error, 1)
	go func() { done <- caught(work) }()
	for {
		select {
		case err := <-done:
			if used := memory().TotalAlloc - allocated; err == nil && l.Allocated > 0 && used > l.Allocated {
				err = fmt.Errorf("it took %d MiB", used>>20)
			}
			return err
		case <-time.After(100 * time.Millisecond):
		}
		switch m := memory(); {
		case l.Time > 0 && processorTime()-processors > l.Time:
			return passed("longer than %s", l.Time)
		case l.Wall > 0 && time.Since(began) > l.Wall:
			return passed("longer than %s", l.Wall)
		case l.Heap > 0 && m.HeapAlloc > l.Heap:
			return passed("%d MiB", m.HeapAlloc>>20)
		}
	}
}

// passed is the error for a limit that was exceeded, with the stacks of all goroutines.
func passed(format string, limit any) error {
	stacks := make([]byte, 1<<20)
	return fmt.Errorf("it takes "+format+"\n%s", limit, stacks[:runtime.Stack(stacks, true)])
}

// caught runs work, and makes a panic an error with its trace.
func caught(work func() error) (err error) {
	defer func() {
		var e *panics.Error
		if errors.As(err, &e) {
			err = fmt.Errorf("%w at %v\n%s", e, e.Place, e.Stack)
		}
	}()
	defer panics.Catch(&err)
	return work()
}

// processorTime is the processor time of this process.
func processorTime() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func memory() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}
