// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"time"

	"golang.org/x/sys/unix"
)

// A barrier returns once every handler that was running when it was called has ended.
type barrier func()

// MEMBARRIER_CMD_* of linux/membarrier.h.
const (
	membarrierQuery  = 0
	membarrierGlobal = 1
)

// graceWithoutBarrier is how long running handlers are waited for if the kernel can't
// tell that they have ended.
const graceWithoutBarrier = 50 * time.Millisecond

// kernelBarrier waits for an RCU grace period, by membarrier(2) (Linux 4.3 or
// later, and no nohz_full CPUs).
func kernelBarrier() barrier {
	commands, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, membarrierQuery, 0, 0)
	if errno != 0 || commands&membarrierGlobal == 0 {
		return func() { time.Sleep(graceWithoutBarrier) }
	}
	return func() {
		if _, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, membarrierGlobal, 0, 0); errno != 0 {
			time.Sleep(graceWithoutBarrier)
		}
	}
}
