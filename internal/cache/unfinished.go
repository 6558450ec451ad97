// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"sync"
)

// unfinished are the temporary files and folders of this process.
var unfinished = struct {
	sync.Mutex
	paths map[string]bool
}{paths: map[string]bool{}}

// Temporary registers a file or folder for Abandon; the function that it returns renames or removes it.
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

// Abandon removes the unfinished files and folders, before the process ends while other goroutines still write:
// these block when they create or finish a temporary file.
func Abandon() {
	unfinished.Lock()
	for path := range unfinished.paths {
		os.RemoveAll(path)
	}
}
