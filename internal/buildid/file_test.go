// SPDX-License-Identifier: GPL-2.0-or-later

package buildid

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOf finds the build-ids of programs by gcc and by Go's linker, and none if there is none.
func TestOf(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"a.c": "int main(void) { return 0; }\n", "a.go": "package main\nfunc main() {}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command string
		found   bool
	}{
		{"gcc -Wl,--build-id=sha1 -o a a.c", true},
		{"gcc -Wl,--build-id=none -o a a.c", false},
		{"go build -o a a.go", true},
	} {
		args := strings.Fields(c.command)
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", c.command, err, out)
		}
		f, err := elf.Open(filepath.Join(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if id, err := Of(f); err != nil || (len(id) == 40) != c.found {
			t.Errorf("%s: %q, %v", c.command, id, err)
		}
	}
}
