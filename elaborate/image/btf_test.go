// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
)

// TestMadeTypes makes BTF from debuginfo, and checks the errors if something is missing for that.
func TestMadeTypes(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	dir := t.TempDir()
	source, object := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte("struct gs_made { int a; long b; } made;\nint main(void) { return made.a; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-g", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	target := NewTarget("1.2.3-4-amd64", false)
	d := &Debuginfo{target: target, any: func() (*dwarf.Info, error) { return nil, dwarf.ErrNone }}
	if _, err := target.madeTypes("abcd", d, ""); err == nil || !strings.Contains(err.Error(), "install it: apt install linux-image-1.2.3-4-amd64-dbg pahole") {
		t.Errorf("without debuginfo: %v", err)
	}
	f := &dwarf.Finder{}
	d.any = func() (*dwarf.Info, error) {
		return f.Load(filepath.Join(dir, "index"), func() (string, error) { return object, nil }, func(int64, int64) {})
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", dir)
	if _, err := target.madeTypes("abcd", d, ""); err == nil || !strings.Contains(err.Error(), "pahole") || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("without pahole: %v", err)
	}
	t.Setenv("PATH", path)
	if err := os.MkdirAll(filepath.Dir(madePath("abcd")), 0o755); err != nil {
		t.Fatal(err)
	}
	made, err := target.madeTypes("abcd", d, "")
	if err != nil {
		t.Fatal(err)
	}
	types, err := btf.Open(made)
	if err != nil {
		t.Fatal(err)
	}
	if ids := types.Find("gs_made", btf.Struct); len(ids) != 1 || types.Size(ids[0]) != 16 {
		t.Errorf("struct gs_made is %v", ids)
	}
}
