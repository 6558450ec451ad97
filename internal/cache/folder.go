// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// Fill has the cache's folder dir filled by fill, which gets a temporary folder in its place.
// If another process was faster, dir is that one's; one that is damaged gives way.
func Fill(dir string, fill func(tmp string) error) error {
	tmp, err := newFolder(dir)
	if err != nil {
		return failed(err)
	}
	defer Temporary(tmp)()
	if err := fill(tmp); errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return failed(err)
	} else if err != nil {
		return err
	}
	if err := seal(tmp); err != nil {
		return failed(err)
	}
	err = os.Rename(tmp, dir)
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTEMPTY) {
		if Intact(dir) {
			return nil
		}
		if err = discard(dir); err == nil {
			err = os.Rename(tmp, dir)
		}
	}
	return failed(err)
}

// newFolder makes a folder beside dir.
func newFolder(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return "", err
	}
	return tmp, os.Chmod(tmp, 0o755)
}

// FillOnce is Fill for what takes long: of several processes one does the work, and the others wait.
func FillOnce(dir string, fill func(tmp string) error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return failed(err)
	}
	lock, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return failed(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return failed(err)
	}
	if Intact(dir) {
		return nil
	}
	return Fill(dir, fill)
}
