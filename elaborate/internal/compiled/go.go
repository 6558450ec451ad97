// SPDX-License-Identifier: GPL-2.0-or-later

package compiled

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Go compiles the Go program in a folder with a version of Go, "local" for the machine's own, and
// returns its path, without symbolic links. If the machine does not have the version, the test is
// skipped; tests/setup downloads versions that are needed.
func Go(t testing.TB, version, folder string, flags ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A copy, as the module's go.mod requires another version.
	if err := os.CopyFS(filepath.Join(dir, "src"), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src/go.mod"), []byte("module example\n\ngo 1.22\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "prog")
	for _, args := range [][]string{{"version"}, append(append([]string{"build"}, flags...), "-o", path, ".")} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = filepath.Join(dir, "src"), append(os.Environ(), "GOTOOLCHAIN="+version, "GOPROXY=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			if args[0] == "version" {
				t.Skipf("%s: %v: %s", version, err, out)
			}
			t.Fatalf("%s: %v: %s", cmd, err, out)
		}
	}
	return path
}
