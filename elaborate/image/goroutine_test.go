// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"go/version"
	"os"
	"path/filepath"
	"testing"

	"gostap/elaborate/internal/compiled"
)

// TestGoroutines compares the table for stripped programs with programs' debuginfo. GOSTAP_GO may name
// an additional version of Go.
func TestGoroutines(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"local", "go1.25.5", "go1.23.12", os.Getenv("GOSTAP_GO")} {
		if release == "" {
			continue
		}
		t.Run(release, func(t *testing.T) {
			p, err := NewTarget("", false).Program(compiled.Go(t, release, dir))
			if err != nil {
				t.Fatal(err)
			}
			want := p.describedGoroutine()
			if got := goroutines[version.Lang(p.GoVersion())]; got != want || want.ID == 0 {
				t.Errorf("%s: %+v, debuginfo says %+v", p.GoVersion(), got, want)
			}
		})
	}
}
