// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What headers declare is read again only when their folder has changed, also that they declare nothing.
func TestDeclaredTypeIsCached(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	dir := t.TempDir()
	write := func(text string, modified time.Time) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.h"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	first := time.Unix(1000, 0)
	for _, c := range []struct {
		text           string
		modified       time.Time
		ticks, missing string
	}{
		{"extern unsigned long volatile ticks;\n", first, "unsigned long", ""},
		{"extern int ticks;\nextern int missing;\n", first, "unsigned long", ""},
		{"extern int ticks;\nextern struct file *missing;\n", first.Add(time.Second), "int", "struct file*"},
		{"extern int ticks;\nextern long ticks;\nextern int missing[4];\n", first.Add(time.Hour), "", ""},
	} {
		write(c.text, c.modified)
		if got := declaredType("6.1", []string{dir}, "ticks"); got != c.ticks {
			t.Errorf("%q: ticks is %q, not %q", c.text, got, c.ticks)
		}
		if got := declaredType("6.1", []string{dir}, "missing"); got != c.missing {
			t.Errorf("%q: missing is %q, not %q", c.text, got, c.missing)
		}
	}
}

// A cache that can't be written costs time only.
func TestDeclaredTypeWithoutCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOSTAP_CACHE", filepath.Join(file, "cache"))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.h"), []byte("extern int ticks;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := declaredType("6.1", []string{dir}, "ticks"); got != "int" {
		t.Errorf("ticks is %q", got)
	}
}
