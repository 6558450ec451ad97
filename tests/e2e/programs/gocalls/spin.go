// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"runtime"
	"sync/atomic"
)

// spin calls nothing, so that only a signal gets it off its thread.
//
//go:noinline
func spin(done *atomic.Bool) (n int) {
	for !done.Load() {
		n++
	}
	return n
}

// preempt has a goroutine preempted, as there is one thread for two.
func preempt() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var done atomic.Bool
	ended := make(chan int)
	go func() { ended <- spin(&done) }()
	runtime.Gosched()
	done.Store(true)
	<-ended
}
