// SPDX-License-Identifier: GPL-2.0-or-later

// Package mainthread runs functions in the process's first thread, whose tid is the pid: the Go runtime
// may run a goroutine in any thread, and the kernel handles a system call in the context of the thread
// that makes it.
//
//	func main() { mainthread.Run(program) }   // program runs in another goroutine
//	mainthread.Call(f)                        // anywhere in it
package mainthread

import (
	"runtime"
	"sync/atomic"
)

var (
	calls   = make(chan func())
	running atomic.Bool
)

// The goroutine of main() stays in the first thread from here on.
func init() { runtime.LockOSThread() }

// Run runs program in a goroutine, and the functions that are passed to Call in the first thread, until
// program returns. Only main() may call it.
func Run(program func()) {
	over := make(chan struct{})
	running.Store(true)
	go func() {
		defer close(over)
		program()
	}()
	for {
		select {
		case f := <-calls:
			f()
		case <-over:
			return
		}
	}
}

// Call runs f in the first thread, one such call after the other, and returns when it is done. In a
// program whose main() does not call Run, as in tests, it runs f in the caller's.
func Call(f func()) {
	if !running.Load() {
		f()
		return
	}
	done := make(chan struct{})
	calls <- func() {
		defer close(done)
		f()
	}
	<-done
}
