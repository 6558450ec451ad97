// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gostap/elaborate/internal/testkernel"
)

func TestOpen(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, release := range testkernel.Releases(t) {
		t.Run(release, func(t *testing.T) {
			k, err := Open(release)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				name    string
				refusal Refusal
				ftrace  bool
			}{
				{"vfs_read", Probeable, true},
				{"do_int3", Blacklisted, true},
				{"exc_int3", Noinstr, false},
				{"asm_exc_int3", Entry, false},
				{"start_kernel", Init, true},
				{"__SCT__might_resched", Trampoline, false},
			} {
				list := k.Lookup(c.name)
				if len(list) != 1 {
					t.Errorf("%s: %d functions", c.name, len(list))
					continue
				}
				f := list[0]
				if f.Refusal != c.refusal || f.Ftrace != c.ftrace || f.Name != c.name || f.Size == 0 {
					t.Errorf("%+v", f)
				}
			}
			if f := k.Lookup("kernel_read"); len(f) != 1 || !f[0].Exported {
				t.Errorf("kernel_read is not exported: %+v", f)
			}
			if near := k.Nearest("vfs_raed", 2); !slices.Contains(near, "vfs_read") {
				t.Errorf("near vfs_raed: %q", near)
			}
			for _, f := range k.Glob("vfs_[rw]*") {
				if !strings.HasPrefix(f.Name, "vfs_r") && !strings.HasPrefix(f.Name, "vfs_w") {
					t.Errorf("vfs_[rw]* matches %s", f.Name)
				}
			}
			if n := len(k.Glob("*")); n != k.Count() || n < 40000 {
				t.Errorf("* matches %d of %d functions", n, k.Count())
			}
			if _, err := os.Stat(k.BTFPath()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	_, err := Open("9.9.9-9-amd64")
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Install != "apt install linux-image-9.9.9-9-amd64" {
		t.Errorf("got %v", err)
	}
	if _, err := Open("../etc"); err == nil {
		t.Error("../etc is a release")
	}
}

// TestDamagedCache damages each file of the cache: Open makes a new one.
func TestDamagedCache(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GOSTAP_CACHE", root)
	release := testkernel.Releases(t)[0]
	first, err := Open(release)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(root + "/kernels/*/*")
	records, _ := filepath.Glob(root + "/kernels/*.json")
	for _, path := range append(files, records...) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Replace the file, as the old one is mapped.
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, whole[:len(whole)/2], 0o644); err != nil {
			t.Fatal(err)
		}
		k, err := Open(release)
		if err != nil || k.BuildID != first.BuildID || len(k.Lookup("vfs_read")) != 1 {
			t.Errorf("%s: %v, %v", path, k, err)
		}
		if again, _ := os.ReadFile(path); len(again) != len(whole) {
			t.Errorf("%s was not made anew", path)
		}
	}
}

func BenchmarkColdOpen(b *testing.B) {
	for _, release := range testkernel.Releases(b) {
		b.Run(release, func(b *testing.B) {
			for b.Loop() {
				b.Setenv("GOSTAP_CACHE", b.TempDir())
				if _, err := Open(release); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWarmOpen(b *testing.B) {
	for _, release := range testkernel.Releases(b) {
		if _, err := Open(release); err != nil {
			b.Fatal(err)
		}
		b.Run(release, func(b *testing.B) {
			for b.Loop() {
				k, err := Open(release)
				if err != nil || len(k.Lookup("vfs_read")) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNearest(b *testing.B) {
	k, err := Open(testkernel.Releases(b)[0])
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		k.Nearest("vfs_raed", 3)
	}
}
