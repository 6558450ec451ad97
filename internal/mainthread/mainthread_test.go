// SPDX-License-Identifier: GPL-2.0-or-later

package mainthread

import (
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain runs in the first thread, as main() does.
func TestMain(m *testing.M) {
	code := 1
	Run(func() { code = m.Run() })
	os.Exit(code)
}

// TestCall calls from many goroutines at once.
func TestCall(t *testing.T) {
	var group sync.WaitGroup
	n := 0
	for range 100 {
		group.Go(func() {
			Call(func() {
				n++ // one at a time
				if unix.Gettid() != unix.Getpid() {
					t.Errorf("called in thread %d of process %d", unix.Gettid(), unix.Getpid())
				}
			})
		})
	}
	group.Wait()
	if n != 100 {
		t.Errorf("%d of 100 calls", n)
	}
}
