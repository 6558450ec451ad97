// SPDX-License-Identifier: GPL-2.0-or-later

package pprof

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gostap/output/profile"
)

// TestTop reads a profile with go tool pprof.
func TestTop(t *testing.T) {
	p := new(profile.Profile)
	p.Leaf([]profile.Frame{{Name: "main", Module: "/bin/dd", Kind: profile.User}}).Self = 3
	p.Leaf([]profile.Frame{{Name: "main", Module: "/bin/dd", Kind: profile.User}, {Name: "vfs_read", Module: "kernel", Kind: profile.Kernel}}).Self = 5
	path := filepath.Join(t.TempDir(), "profile")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, p); err != nil {
		t.Fatal(err)
	}
	f.Close()
	text, err := exec.Command("go", "tool", "pprof", "-top", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	have := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{"100% of 8 total", "5 62.50% 62.50% 5 62.50% vfs_read", "3 37.50% 100% 8 100% main"} {
		if !strings.Contains(have, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
