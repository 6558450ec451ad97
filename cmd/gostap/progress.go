// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress returns a bar for what takes seconds, nil if nobody looks on. It
// shows once half a second has gone by, and is gone when the work is done.
func progress(what string) func(done, total int64) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	var mu sync.Mutex
	start, last := time.Now(), time.Time{}
	return func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Sub(start) < 500*time.Millisecond || total == 0 || now.Sub(last) < 100*time.Millisecond && done < total {
			return
		}
		last = now
		const width = 30
		n := int(done * width / total)
		fmt.Fprintf(os.Stderr, "\r%s [%s%s] %3d%%", what, strings.Repeat("#", n), strings.Repeat(".", width-n), done*100/total)
		if done >= total {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}
