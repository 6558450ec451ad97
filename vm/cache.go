// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"encoding/hex"
	"os"
	"path/filepath"

	"gostap/internal/cache"
)

// cached opens the cache's file NAME-KEY of a release, and creates it if it does not exist. The key is
// a digest of everything that the content depends on, so files with other keys are out of date: they
// are removed when a new one is created.
func cached(release, name string, key []byte, content func() ([]byte, error)) (*os.File, error) {
	path := cache.Path("vm", release, name+"-"+hex.EncodeToString(key[:8]))
	return cache.Open(path, func() ([]byte, error) {
		stale, _ := filepath.Glob(cache.Path("vm", release, name+"-*"))
		for _, old := range stale {
			os.Remove(old)
		}
		return content()
	})
}
