// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScopedGlobals finds variables of namespaces and classes, with and without their scopes.
func TestScopedGlobals(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "globals.cc"), filepath.Join(dir, "globals")
	text := `
int n = 1;
namespace a { int n = 2; struct C { static int n; static int other; int f() { struct L { int n; } l = { 9 }; static int n = 8; return n + l.n; } }; int C::n = 3;
template <class T> struct B { static T held; }; template <class T> T B<T>::held = 4; namespace { int own = 5; } }
int main() { a::C c; return n + a::n + a::C::n + a::B<int>::held + a::own + c.f(); }
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	compilers := [][]string{{"g++", "-gdwarf-5"}, {"g++", "-gdwarf-4"}, {"g++", "-fdebug-types-section"}}
	if _, err := exec.LookPath("clang++"); err == nil {
		compilers = append(compilers, []string{"clang++"})
	}
	for _, c := range compilers {
		run(t, c[0], append(c[1:], "-g", "-O0", "-no-pie", "-o", program, source)...)
		symbols := map[string]int64{}
		for line := range strings.Lines(run(t, "nm", "-C", program)) {
			var addr int64
			var kind string
			fmt.Sscanf(line, "%x %s", &addr, &kind)
			if _, name, found := strings.Cut(line, " "+kind+" "); found {
				symbols[strings.TrimSpace(name)] = addr
			}
		}
		info := loaded(t, program)
		const own = "a::(anonymous namespace)::own"
		for name, want := range map[string][]string{
			"n": {"n", "a::C::n", "a::n"}, "a::n": {"a::n"}, "a::C::n": {"a::C::n"}, "C::n": {"a::C::n"}, "a::B<int>::held": {"a::B<int>::held"},
			"held": {"a::B<int>::held"}, "a::own": {own}, own: {own}, "a::C::other": nil, "b::n": nil, "f": nil, "l": nil,
		} {
			found, err := info.Globals(name, func(string) bool { return true })
			if err != nil || len(found) != len(want) {
				t.Errorf("%v: %s: %v, %v", c, name, found, err)
				continue
			}
			for i, v := range found {
				if loc, err := v.Location(); err != nil || loc.Pieces[0].X.N != symbols[want[i]] {
					t.Errorf("%v: %s is at %+v, %v, and %s at %#x", c, name, loc, err, want[i], symbols[want[i]])
				}
			}
		}
	}
}
