// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// Entries that are truncated, empty or changed are made again; intact ones are not.
func TestDamaged(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	dir := Path("folder")
	file := filepath.Join(dir, "file")
	fills := 0
	fill := func(tmp string) error {
		fills++
		return os.WriteFile(filepath.Join(tmp, "file"), []byte("content"), 0o644)
	}
	for name, damage := range map[string]func() error{
		"nothing":     func() error { return os.RemoveAll(dir) },
		"empty":       func() error { return os.Truncate(file, 0) },
		"cut off":     func() error { return os.Truncate(file, 3) },
		"another":     func() error { return os.WriteFile(file, []byte("contend"), 0o644) },
		"removed":     func() error { return os.Remove(file) },
		"empty sums":  func() error { return os.Truncate(filepath.Join(dir, sumsName), 0) },
		"not sealed":  func() error { return os.Remove(filepath.Join(dir, sumsName)) },
		"other files": func() error { return os.WriteFile(filepath.Join(dir, "other"), nil, 0o644) },
	} {
		for way, make := range map[string]func(string, func(string) error) error{"Fill": Fill, "FillOnce": FillOnce} {
			if err := make(dir, fill); err != nil {
				t.Fatal(err)
			}
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if Intact(dir) {
				t.Errorf("%s is intact", name)
			}
			before := fills
			if err := make(dir, fill); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(file); string(data) != "content" || fills != before+1 || !Intact(dir) {
				t.Errorf("%s, %s: %q, %v, after %d fills", name, way, data, err, fills-before)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(Root(), ".new-*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
