// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gostap/internal/bounded"
)

// FuzzRead: of any file a table that is in order, or an error.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	source := filepath.Join(dir, "seed.c")
	text := "int g(int); __attribute__((noinline)) int f(int n) { char a[n]; a[0] = 1; return g(n) + a[n / 2]; } int g(int n) { return n ? f(n - 1) : 0; }"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
	for _, flags := range [][]string{{"-O2"}, {"-O0", "-g", "-fno-asynchronous-unwind-tables"}} {
		out := filepath.Join(dir, "seed")
		if err := exec.Command("gcc", append(flags, "-shared", "-fPIC", "-nostdlib", "-Wl,-z,noseparate-code", "-o", out, source)...).Run(); err != nil {
			f.Skip(err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	limits := bounded.Limits{Time: 20 * time.Second, Heap: 1 << 30}
	f.Fuzz(func(t *testing.T, data []byte) {
		var table *Table
		if err := limits.Run(func() error { table, _ = Read(bytes.NewReader(data)); return nil }); err != nil {
			t.Fatal(err)
		}
		if table != nil && (!slices.IsSorted(table.Offsets) || len(table.Offsets) != len(table.RuleOf)) {
			t.Errorf("%d offsets, %d rules, sorted: %t", len(table.Offsets), len(table.RuleOf), slices.IsSorted(table.Offsets))
		}
	})
}
