// SPDX-License-Identifier: GPL-2.0-or-later

package cache

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAbandon ends a process while it writes an entry: nothing of it is left.
func TestAbandon(t *testing.T) {
	if os.Getenv("ABANDON") != "" {
		begun := make(chan bool)
		go Fill(Path("folder", "x"), func(tmp string) error {
			if err := os.WriteFile(filepath.Join(tmp, "half"), nil, 0o644); err != nil {
				t.Error(err)
			}
			close(begun)
			select {}
		})
		<-begun
		Abandon()
		os.Exit(0)
	}
	root := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=TestAbandon")
	cmd.Env = append(os.Environ(), "ABANDON=1", "GOSTAP_CACHE="+root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(filepath.Join(root, "folder")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
