// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/pkg/errors"

	runtimec "gostap/runtime-c"
)

// cacheLimit bounds the cache of scripts' modules, and that of programs.
const cacheLimit = 256 << 20

// hashKey hashes parts, strings or []byte, each with its length.
func hashKey(parts ...any) string {
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
	h := sha256.New()
	buffer := make([]byte, 32<<10)
	fs.WalkDir(runtimec.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := runtimec.Source.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "%d:%s", len(path), path)
		size, err := io.CopyBuffer(h, f, buffer)
		fmt.Fprintf(h, ":%d", size)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:16])
})

// fileKey identifies a version of a file: by its path, size and time.
func fileKey(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return "-"
	}
	return fmt.Sprint(path, st.Size(), st.ModTime().UnixNano())
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
