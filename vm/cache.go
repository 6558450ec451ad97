// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// cacheDir returns the folder for what is derived from one kernel, and makes it.
func cacheDir(release string) (string, error) {
	root := os.Getenv("GOSTAP_CACHE")
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", errors.Wrap(err, "no cache folder; set GOSTAP_CACHE")
		}
		root = filepath.Join(user, "gostap")
	}
	dir := filepath.Join(root, "vm", release)
	return dir, errors.Wrap(os.MkdirAll(dir, 0o755), "micro-VM cache")
}

// cached opens dir/name-KEY, and has build write it first unless an earlier run did. The key is a digest of
// everything that the content depends on, so files under other keys are out of date: they are removed after a build.
// Runs that build the same file at once each write their own, and the last rename wins.
func cached(dir, name string, key []byte, build func(io.Writer) error) (*os.File, error) {
	path := filepath.Join(dir, name+"-"+hex.EncodeToString(key[:8]))
	if f, err := os.Open(path); err == nil {
		return f, nil
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return nil, errors.Wrap(err, "micro-VM cache")
	}
	defer os.Remove(f.Name())
	if err = build(f); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		f.Close()
		return nil, errors.Wrapf(err, "building %s", path)
	}
	stale, _ := filepath.Glob(filepath.Join(dir, name+"-*"))
	for _, old := range stale {
		if old != path {
			os.Remove(old)
		}
	}
	return f, nil
}
