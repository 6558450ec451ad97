// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPrune(t *testing.T) {
	folder := t.TempDir()
	for i, name := range []string{"recent", "newer", "oldest"} {
		dir := filepath.Join(folder, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x.ko"), make([]byte, 1000), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i) * 24 * time.Hour)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (names string) {
		list, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.IsDir() {
				names += " " + e.Name()
			}
		}
		return names
	}
	Prune(folder, 2500)
	if got := left(); got != " newer recent" {
		t.Errorf("with room for two of three, left are%s", got)
	}
	Prune(folder, 100)
	if got := left(); got != " newer recent" {
		t.Errorf("pruned again at once: left are%s", got)
	}
	os.Remove(filepath.Join(folder, ".pruned"))
	Prune(folder, 100)
	if got := left(); got != " recent" {
		t.Errorf("what was used within the hour must stay, and nothing else: left are%s", got)
	}
}
