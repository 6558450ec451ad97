// SPDX-License-Identifier: GPL-2.0-or-later

package session

import (
	"os/exec"
	"path/filepath"
	"testing"

	"gostap/tests/guest"
)

// BuildLoad builds, on the host, the programs that Busy runs in the guest.
func BuildLoad(t testing.TB, dir string) {
	guest.Command(t, guest.Root(t), "gcc", "-O2", "-static", "-pthread", "-o", filepath.Join(dir, "busy"), "tests/load/busy.c")
	guest.Command(t, guest.Root(t), "gcc", "-O2", "-g", "-pthread", "-D_GNU_SOURCE", "-o", filepath.Join(dir, "storm"), "tests/load/storm.c")
}

// Busy keeps the machine busy until it is stopped.
func Busy(t testing.TB) (stop func()) {
	t.Helper()
	loads := []*exec.Cmd{
		exec.Command(filepath.Join(guest.Dir(), "busy"), "2"),
		exec.Command(filepath.Join(guest.Dir(), "reads"), "1000000000"),
	}
	for _, load := range loads {
		if err := load.Start(); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, load := range loads {
			load.Process.Kill()
			load.Wait()
		}
	}
}
