// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// watch measures for how long nothing has been heard of a VM. It counts the time in which the VM could have said something: not
// that in which its threads waited for a processor of a busy host, and not that in which this process stood still itself.
type watch struct {
	*time.Ticker
	period time.Duration
	pid    int // qemu's

	signs  atomic.Int64 // of life; whoever hears one counts it
	known  int64        // those that quiet takes into account
	waited time.Duration
	total  time.Duration // that it has been there
	quiet  time.Duration
}

func newWatch(pid int, period time.Duration) *watch {
	return &watch{Ticker: time.NewTicker(period), period: period, pid: pid, waited: waited(pid)}
}

// tick takes a tick into account. Ticks that this process came too late for are none. One counts for a third at least,
// so that patience ends on every host.
func (w *watch) tick() {
	now := waited(w.pid)
	lost := min(max(now-w.waited, 0), w.period*2/3)
	w.waited = now
	w.total += w.period - lost
	if signs := w.signs.Load(); signs != w.known {
		w.known, w.quiet = signs, 0
		return
	}
	w.quiet += w.period - lost
}

// waited returns for how long the threads of a process have waited for a processor, all in all; see schedstat in
// Documentation/scheduler/sched-stats.rst in the kernel's source.
func waited(pid int) time.Duration {
	var sum time.Duration
	files, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task/*/schedstat"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if f := strings.Fields(string(text)); len(f) == 3 {
			ns, _ := strconv.ParseInt(f[1], 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}
