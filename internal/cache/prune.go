// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Entries that have been used within spareTime stay: they may be in use.
const (
	spareTime  = time.Hour
	pruneEvery = 5 * time.Minute
)

// Use marks a cached entry as used, for Prune.
func Use(dir string) {
	now := time.Now()
	os.Chtimes(dir, now, now) // a cache that can't be written to is not pruned either
}

// Prune removes the entries of the folder that have not been used for longest,
// until the rest is within limit. It runs at most every few minutes.
func Prune(folder string, limit int64) {
	stamp := filepath.Join(folder, ".pruned")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < pruneEvery {
		return
	}
	if os.WriteFile(stamp, nil, 0o644) != nil {
		return
	}
	type entry struct {
		dir  string
		used time.Time
		size int64
	}
	var entries []entry
	var total int64
	list, _ := os.ReadDir(folder)
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		dir := filepath.Join(folder, e.Name())
		size := sizeOf(dir)
		total += size
		entries = append(entries, entry{dir, info.ModTime(), size})
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range entries {
		if total <= limit || time.Since(e.used) < spareTime {
			return
		}
		if os.RemoveAll(e.dir) == nil {
			total -= e.size
		}
	}
}

// sizeOf adds up the files below dir.
func sizeOf(dir string) int64 {
	var total int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it may just have been removed
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			total += info.Size()
		}
		return nil
	})
	return total
}
