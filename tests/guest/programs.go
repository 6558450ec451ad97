// SPDX-License-Identifier: GPL-2.0-or-later

package guest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BuildPrograms builds a program of each C file of a folder in the module's root, without its .c, and
// returns the folder that they are in. A file's first line, a comment, has the compiler's options.
func BuildPrograms(t testing.TB, source string) string {
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(Root(t), source, "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no programs (%v)", source, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		options := strings.Fields(strings.Trim(first, "/* "))
		out := filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".c"))
		Command(t, dir, "gcc", append(options, "-o", out, file)...)
	}
	return dir
}
