// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// Fill makes the cache's folder dir; fill fills a temporary folder, which is then renamed. If another
// process was faster, its folder stays; a damaged one is replaced.
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

// FillOnce is Fill for work that takes long: of several processes one does it, and the others wait.
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
