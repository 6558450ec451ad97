// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"runtime"
	"sync/atomic"
)

// spin calls nothing, so that only a signal preempts it.
//
//go:noinline
func spin(done *atomic.Bool) (n int) {
	for !done.Load() {
		n++
	}
	return n
}

// preempt makes the scheduler preempt a goroutine, as two share one thread.
func preempt() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var done atomic.Bool
	ended := make(chan int)
	go func() { ended <- spin(&done) }()
	runtime.Gosched()
	done.Store(true)
	<-ended
}
