// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"sync"
)

// unfinished are the temporary files and folders that this process has in its hands.
var unfinished = struct {
	sync.Mutex
	paths map[string]bool
}{paths: map[string]bool{}}

// Temporary has Abandon remove a file or folder, until it is renamed or removed by what it returns.
func Temporary(path string) (remove func()) {
	unfinished.Lock()
	unfinished.paths[path] = true
	unfinished.Unlock()
	return func() {
		unfinished.Lock()
		delete(unfinished.paths, path)
		unfinished.Unlock()
		os.RemoveAll(path)
	}
}

// Abandon removes what is unfinished, before a process ends while others of its goroutines still write: they
// stay where they are when they come to make or end a temporary file.
func Abandon() {
	unfinished.Lock()
	for path := range unfinished.paths {
		os.RemoveAll(path)
	}
}
