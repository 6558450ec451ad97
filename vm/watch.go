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

// watch measures for how long a VM has been silent. It counts only time in which the VM could have run:
// not the time in which its threads waited for a CPU of a busy host, nor the time in which this process
// was stopped.
type watch struct {
	*time.Ticker
	period time.Duration
	pid    int // qemu's

	signs  atomic.Int64 // signs of life; the receivers of messages count them
	known  int64        // the number at the last tick
	waited time.Duration
	total  time.Duration // its whole run time
	quiet  time.Duration
}

func newWatch(pid int, period time.Duration) *watch {
	return &watch{Ticker: time.NewTicker(period), period: period, pid: pid, waited: waited(pid)}
}

// tick updates the time of silence. Ticks that this process handles late do not count. A tick counts at
// least a third, so that patience ends on every host.
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

// waited returns the total time for which a process's threads have waited for a CPU; see schedstat in
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
