// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gostap/elaborate/btf"
)

// TestNames finds types by name, in the debuginfo and then in its cached index.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "names.cc"), filepath.Join(dir, "names")
	text := `
struct point { int x, y; }; enum color { RED, GREEN = 7 }; typedef point dot;
namespace outer { struct point { char c; }; namespace inner { union u { int i; }; enum { DEEP = -3 }; } }
struct declared; declared *d; point p; outer::point q; outer::inner::u v; color c; dot e; decltype(outer::inner::DEEP) deep;
int main() { return outer::inner::DEEP + c + p.x + q.c + v.i + e.x; }
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"-gdwarf-5"}, {"-gdwarf-4"}, {"-gdwarf-5", "-fdebug-types-section"}} {
		run(t, "g++", append(flags, "-O0", "-o", program, source)...)
		kept := t.TempDir()
		for range 2 {
			f, err := Open(program)
			if err != nil {
				t.Fatal(err)
			}
			types := newTypes(f, kept)
			find := func(name string, kinds ...btf.Kind) btf.ID {
				ids := types.Find(name, kinds...)
				if len(ids) != 1 {
					t.Errorf("%v: %s is %v", flags, name, ids)
					return 0
				}
				return ids[0]
			}
			if id := find("point", btf.Struct); types.Size(id) != 8 || !slices.Equal(types.MemberNames(id), []string{"x", "y"}) {
				t.Errorf("%v: point has %v", flags, types.MemberNames(id))
			}
			if id := find("outer::point", btf.Struct); types.Size(id) != 1 {
				t.Errorf("%v: outer::point has %v", flags, types.MemberNames(id))
			}
			if id := find("outer::inner::u", btf.Union, btf.Struct); types.Kind(id) != btf.Union {
				t.Errorf("%v: outer::inner::u is %v", flags, types.Kind(id))
			}
			if id := find("dot", btf.Typedef); types.Size(id) != 8 {
				t.Errorf("%v: dot has %d bytes", flags, types.Size(id))
			}
			if id, ok := types.PointerTo(find("color", btf.Enum)); !ok || types.String(id) != "enum color*" || types.Size(id) != 8 || types.Kind(types.Target(id)) != btf.Enum {
				t.Errorf("%v: the pointer is %s", flags, types.String(id))
			}
			for name, want := range map[string]int64{"GREEN": 7, "DEEP": -3} {
				if got, ok := types.Enumerator(name); !ok || got != want {
					t.Errorf("%v: %s is %d, %t", flags, name, got, ok)
				}
			}
			if ids := types.Find("declared", btf.Struct); len(ids) > 0 {
				t.Errorf("%v: a declaration is found: %v", flags, ids)
			}
			if _, ok := types.Enumerator("BLUE"); ok {
				t.Errorf("%v: BLUE is known", flags)
			}
			if _, err := os.Stat(filepath.Join(kept, namesFile)); err != nil {
				t.Error(err)
			}
		}
	}
}
