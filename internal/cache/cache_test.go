// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRoot(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ gostap, xdg, home, want string }{
		{"/c", "/x", "/home/u", "/c"},
		{"c", "", "", filepath.Join(here, "c")},
		{"", "/x", "/home/u", "/x/gostap"},
		{"", "relative", "/home/u", "/home/u/.cache/gostap"},
		{"", "", "/home/u", "/home/u/.cache/gostap"},
		{"", "", "", "/var/cache/gostap"},
	} {
		t.Setenv("GOSTAP_CACHE", c.gostap)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		t.Setenv("HOME", c.home)
		if got := Root(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// A cache below a file can't be created, not even by root.
func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOSTAP_CACHE", filepath.Join(file, "cache"))
	_, openErr := Open(Path("x", "y"), func() ([]byte, error) { return []byte("y"), nil })
	for name, err := range map[string]error{
		"Write":    Write(Path("x", "y"), []byte("y")),
		"Open":     openErr,
		"Fill":     Fill(Path("x", "y"), func(string) error { return nil }),
		"FillOnce": FillOnce(Path("x", "y"), func(string) error { return nil }),
	} {
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), Root()) || !strings.Contains(err.Error(), "GOSTAP_CACHE") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If filling the cache fails, nothing is stored, and the error is returned.
func TestFillFails(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	why := errors.New("why")
	_, openErr := Open(Path("file"), func() ([]byte, error) { return nil, why })
	fillErr := Fill(Path("folder"), func(tmp string) error {
		if err := os.WriteFile(filepath.Join(tmp, "half"), nil, 0o644); err != nil {
			t.Error(err)
		}
		return why
	})
	if openErr != why || fillErr != why {
		t.Errorf("%v, %v", openErr, fillErr)
	}
	full := Fill(Path("folder"), func(string) error { return &os.PathError{Op: "write", Path: "x", Err: unix.ENOSPC} })
	var e *Error
	if !errors.As(full, &e) {
		t.Errorf("without space: %v", full)
	}
	if left, err := os.ReadDir(Root()); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
