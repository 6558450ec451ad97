// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// sumsName is the file with checksums in a filled folder. After a loss of power, files may be empty or truncated, and
// the kernel would run modules that are linked from them.
const sumsName = ".sums"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums returns the checksums of a folder's files, without those in subfolders.
func sums(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	buffer := make([]byte, 32<<10)
	for _, e := range entries {
		if !e.Type().IsRegular() || e.Name() == sumsName {
			continue
		}
		sum, size, err := fileSum(filepath.Join(dir, e.Name()), buffer)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%08x %d %s\n", sum, size, e.Name())
	}
	return out.Bytes(), nil
}

// fileSum returns a file's checksum and size. It reads the file by parts, into buffer.
func fileSum(path string, buffer []byte) (sum uint32, size int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	for {
		n, err := f.Read(buffer)
		sum, size = crc32.Update(sum, castagnoli, buffer[:n]), size+n
		if err == io.EOF {
			return sum, size, nil
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

// seal writes the checksums of a folder.
func seal(dir string) error {
	data, err := sums(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sumsName), data, 0o644)
}

// Intact reports whether a folder that Fill has filled is there, and its files as they were.
func Intact(dir string) bool {
	want, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return false
	}
	is, err := sums(dir)
	return err == nil && bytes.Equal(is, want)
}

// discard removes a folder that exists and is not intact.
func discard(dir string) error {
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return nil
	}
	old, err := newFolder(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(old)
	if err := os.Rename(dir, filepath.Join(old, "damaged")); !os.IsNotExist(err) {
		return err
	}
	return nil
}
