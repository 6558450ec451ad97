// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"path/filepath"
	"testing"
)

// pointing compiles testdata's program of pointers to values that are not in memory.
func pointing(t testing.TB, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pointers")
	args := append([]string{"-O2", "-g", "-o", path}, flags...)
	run(t, "gcc", append(args, "testdata/pointers.c")...)
	return path
}

func TestImplicitPointers(t *testing.T) {
	for _, flag := range []string{"-gdwarf-5", "-gdwarf-4", "-gdwarf64"} {
		checkPointers(t, loaded(t, pointing(t, flag)))
	}
}

// checkPointers checks the pointers of sum, at its entry.
func checkPointers(t *testing.T, info *Info) {
	t.Helper()
	in := info.Lookup("sum")[0].Instances()[0]
	s, err := info.Scope(in, in.Entry)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"p": {"pair"}, "pp": {"p", "pair"}, "n": {"n"}} {
		v := s.Lookup(name)
		for _, next := range want {
			loc, err := v.Location()
			if err != nil || len(loc.Pieces) != 1 || loc.Pieces[0].Kind != IsPointer || loc.Pieces[0].To.Name != next {
				t.Fatalf("%s at %#x does not point to %s: %+v, %v", v.Name, s.PC, next, loc, err)
			}
			v = loc.Pieces[0].To
		}
		loc, err := v.Location()
		if err != nil || loc.Pieces[0].Kind != InRegister {
			t.Errorf("%s, which %s points to, is at %+v, %v", v.Name, name, loc, err)
		}
	}
}
