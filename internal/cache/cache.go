// SPDX-License-Identifier: GPL-2.0-or-later

// Package cache is the folder of files that are made once and used again. It
// writes files and folders atomically, also if several processes write the same.
//
//	path := cache.Path("kernels", buildID, "symbols")
//	err := cache.Write(path, data)
//	data, err := cache.Map(path)
//
// Each package has a folder of its own below Root and decides what a name
// there depends on; file.go is about files, folder.go about folders, and
// prune.go bounds the size of folders that grow with each script.
package cache

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// Root returns the cache's folder: $GOSTAP_CACHE; else gostap in
// $XDG_CACHE_HOME or ~/.cache; else, without a HOME, /var/cache/gostap.
// It need not exist.
func Root() string {
	if dir := os.Getenv("GOSTAP_CACHE"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	}
	// By the XDG specification, a relative path is ignored.
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gostap")
	}
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "gostap")
	}
	return "/var/cache/gostap"
}

// Path names something in the cache; it need not exist.
func Path(elem ...string) string {
	return filepath.Join(append([]string{Root()}, elem...)...)
}

// An Error says that the cache can't be written.
type Error struct {
	Root string
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("nothing can be kept in the cache %s: %v; GOSTAP_CACHE may name a folder that can be written", e.Root, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// failed wraps an error in an Error, unless it is nil or an Error already.
func failed(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &Error{Root(), err}
}
