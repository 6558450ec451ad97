// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"
)

// subsetOf returns the file of a subset with the units of the named functions.
func subsetOf(t *testing.T, info *Info, names ...string) string {
	t.Helper()
	for _, name := range names {
		for _, f := range info.Lookup(name) {
			for _, in := range f.Instances() {
				if err := info.Collect(in); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	data, err := info.WriteSubset([]string{"one", "two"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "subset")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSubsetSaysTheSame runs the tests of debuginfo on a subset.
func TestSubsetSaysTheSame(t *testing.T) {
	for name, make := range variants(t) {
		t.Run(name, func(t *testing.T) {
			whole := loaded(t, make(t))
			info := loaded(t, subsetOf(t, whole, "same", "area", "other", "main"))
			checkFunctions(t, info)
			checkVariables(t, info)
			sameStatements(t, whole, info)
		})
	}
}

// sameStatements compares the line tables, and the variables at each line.
func sameStatements(t *testing.T, whole, info *Info) {
	all := func(string) bool { return true }
	compared := 0
	for n, f := range whole.Match(all, all) {
		copies := info.Match(all, all)[n].Instances()
		for k, in := range f.Instances() {
			want, err := whole.Statements(in)
			got, err2 := info.Statements(copies[k])
			if err != nil || err2 != nil || !slices.Equal(want, got) {
				t.Fatalf("%s: statements %v, %v, in the copy %v, %v", f.Name, want, err, got, err2)
			}
			for _, st := range want {
				here, err := whole.Scope(in, st.Addr)
				there, err2 := info.Scope(copies[k], st.Addr)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				for i, v := range here.Variables() {
					a, err := v.Location()
					b, err2 := there.Variables()[i].Location()
					if (err == nil) != (err2 == nil) || err == nil && asPerf(a) != asPerf(b) {
						t.Errorf("%s:%d: $%s is at %v, %v, in the copy at %v, %v", f.Name, st.Line, v.Name, a, err, b, err2)
					}
					compared++
				}
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d variables were compared", compared)
	}
}

// TestSubsetIsThin: the copy has no units that were not requested.
func TestSubsetIsThin(t *testing.T) {
	path := subsetOf(t, loaded(t, compiled(t)), "other")
	info := loaded(t, path)
	if len(info.Lookup("area")) > 0 || len(info.Lookup("other")) != 1 {
		t.Errorf("functions: %d area, %d other", len(info.Lookup("area")), len(info.Lookup("other")))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, points, err := ReadSubset(path, data)
	if err != nil || strings.Join(points, " ") != "one two" {
		t.Errorf("points %q, %v", points, err)
	}
}

// TestSubsetInCache has invalid files in the cache.
func TestSubsetInCache(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	whole := compiled(t)
	id, err := BuildID(whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadSubset(SubsetPath(id, ""), id); !errors.Is(err, ErrNone) {
		t.Errorf("an empty cache: %v", err)
	}
	data, err := os.ReadFile(subsetOf(t, loaded(t, whole), "area"))
	if err != nil {
		t.Fatal(err)
	}
	keep := func(id string, data []byte) {
		os.MkdirAll(filepath.Dir(SubsetPath(id, "")), 0o777)
		if err := os.WriteFile(SubsetPath(id, ""), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	keep(id, data)
	if _, points, err := LoadSubset(SubsetPath(id, ""), id); err != nil || len(points) != 2 {
		t.Errorf("%d points, %v", len(points), err)
	}
	other := strings.Repeat("ab", 20)
	keep(other, data)
	var mismatch *MismatchError
	if _, _, err := LoadSubset(SubsetPath(other, ""), other); !errors.As(err, &mismatch) || mismatch.Has != id || mismatch.Want != other {
		t.Errorf("another build's: %v", err)
	}
	for _, n := range []int{0, 1, 63, 64, len(data) / 2, len(data) - 1} {
		keep(id, data[:n])
		if _, _, err := LoadSubset(SubsetPath(id, ""), id); err == nil {
			t.Errorf("%d of %d bytes are taken for the whole", n, len(data))
		}
	}
	garbled := slices.Clone(data)
	for n := 64; n < len(garbled)/2; n++ {
		garbled[n] ^= byte(n)
	}
	keep(id, garbled)
	if _, _, err := LoadSubset(SubsetPath(id, ""), id); err == nil {
		t.Error("garbage is taken for debuginfo")
	}
	keep(id, nil)
	debuginfo, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	keep(id, debuginfo)
	if _, _, err := LoadSubset(SubsetPath(id, ""), id); err == nil || !strings.Contains(err.Error(), "probe-cache") {
		t.Errorf("debuginfo that was not made by probe-cache: %v", err)
	}
}

// TestSubsetPointers: the data that expressions refer to are in the copy, at their new offsets.
func TestSubsetPointers(t *testing.T) {
	for _, flag := range []string{"-gdwarf-5", "-gdwarf-4", "-gdwarf64"} {
		whole := loaded(t, pointing(t, flag, "testdata/other.c")) // whose unit is first, and is not copied
		checkPointers(t, loaded(t, subsetOf(t, whole, "sum")))
	}
}
