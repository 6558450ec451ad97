// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"runtime"
	"time"
)

// wait sleeps and collects garbage, so often that tools which count it show how often.
func wait() {
	for range 50 {
		time.Sleep(10 * time.Millisecond)
	}
	for range 3 {
		runtime.GC()
	}
}
