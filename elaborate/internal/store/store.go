// SPDX-License-Identifier: GPL-2.0-or-later

// Package store keeps the files that passes build once for each kernel: they
// appear whole or not at all, and are read by mapping them.
package store

import (
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// Root returns the cache's folder: $GOSTAP_CACHE, or gostap in the user's
// cache folder, or /var/cache/gostap for who has no home.
func Root() string {
	if dir := os.Getenv("GOSTAP_CACHE"); dir != "" {
		return dir
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "gostap")
	}
	return "/var/cache/gostap"
}

// Write makes the file path hold data. Whoever reads path meanwhile sees the
// old file or the new one.
func Write(path string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err != nil {
		return errors.Wrap(err, "cache (set GOSTAP_CACHE to a folder that can be written)")
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return errors.Wrap(err, "cache (set GOSTAP_CACHE to a folder that can be written)")
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return errors.Wrap(err, "cache")
	}
	return nil
}

// Map returns the file's content, mapped for the life of the process.
// It must not be written to.
func Map(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 || info.Size() > 1<<31 {
		return nil, errors.Errorf("%s: %d bytes", path, info.Size())
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	return data, errors.Wrap(err, path)
}
