// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// Write writes data to the cache's file path, atomically.
func Write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return failed(err)
	}
	return failed(Replace(path, data))
}

// Replace writes data to any file path, atomically: readers get the old file or
// the new one.
func Replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return errors.WithStack(err)
	}
	defer Temporary(f.Name())()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return errors.WithStack(err)
}

// Open opens the cache's file path, and makes it first if it does not exist.
func Open(path string, content func() ([]byte, error)) (*os.File, error) {
	if f, err := os.Open(path); err == nil {
		return f, nil
	}
	data, err := content()
	if err != nil {
		return nil, err
	}
	if err := Write(path, data); err != nil {
		return nil, err
	}
	return os.Open(path)
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
