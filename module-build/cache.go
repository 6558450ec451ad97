// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	runtimec "gostap/runtime-c"
)

// cacheRoot is where everything is cached.
func cacheRoot() (string, error) {
	if dir := os.Getenv("GOSTAP_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Wrap(err, "no place for the cache; set GOSTAP_CACHE")
	}
	return filepath.Join(dir, "gostap"), nil
}

// cacheDir names the place of what has the key; it need not exist.
func cacheDir(kind, key string) (string, error) {
	root, err := cacheRoot()
	return filepath.Join(root, kind, key), err
}

// keyOf hashes parts, strings or []byte, each with its length.
func keyOf(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			fmt.Fprintf(h, "%d:%s", len(p), p)
		case []byte:
			fmt.Fprintf(h, "%d:", len(p))
			h.Write(p)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// sourceKey is the key of the runtime's C source.
var sourceKey = sync.OnceValue(func() string {
	var parts []any
	fs.WalkDir(runtimec.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := runtimec.Source.ReadFile(path)
		parts = append(parts, path, data)
		return err
	})
	return keyOf(parts...)
})

// fileKey is what tells one state of a file from another: its size and when it was written.
func fileKey(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return "-"
	}
	return fmt.Sprint(path, st.Size(), st.ModTime().UnixNano())
}

// produce has dir filled by fill, which gets a temporary directory in its place. If another process was faster, dir is that one's.
func produce(dir string, fill func(tmp string) error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return errors.WithStack(err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return errors.WithStack(err)
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return errors.WithStack(err)
	}
	if err := fill(tmp); err != nil {
		return err
	}
	err = os.Rename(tmp, dir)
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTEMPTY) {
		return nil
	}
	return errors.WithStack(err)
}

// produceOnce is produce for what takes long: of several processes one does the work, and the others wait.
func produceOnce(dir string, fill func(tmp string) error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return errors.WithStack(err)
	}
	lock, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return errors.WithStack(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return errors.WithStack(err)
	}
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	return produce(dir, fill)
}

// writeFile writes a file that never shows half of its data.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return errors.WithStack(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(os.Rename(f.Name(), path))
}

// unpack writes folders of the runtime's source to dir.
func unpack(dir string, folders ...string) error {
	for _, folder := range folders {
		sub, err := fs.Sub(runtimec.Source, folder)
		if err != nil {
			return errors.WithStack(err)
		}
		if err := os.CopyFS(filepath.Join(dir, folder), sub); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
}
