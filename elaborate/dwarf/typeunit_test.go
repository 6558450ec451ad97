// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"testing"

	"gostap/elaborate/btf"
)

// TestTypeUnits: types in units of their own are found by their signatures, also for declarations with
// a signature. TestVariants checks their members.
func TestTypeUnits(t *testing.T) {
	for _, version := range []string{"-gdwarf-5", "-gdwarf-4"} {
		info := loaded(t, compiled(t, version, "-fdebug-types-section"))
		f, err := info.file()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.typeSigned(4711); ok || len(f.signed) < 2 {
			t.Errorf("%s: %d types are signed", version, len(f.signed))
		}
		types := info.Types()
		declared := 0
		for _, rec := range info.units {
			u, err := f.unit(rec.Off)
			if err != nil {
				t.Fatal(err)
			}
			root, _ := u.die(u.first)
			root.eachChild(func(d die) bool {
				if id := btf.ID(d.off); d.signed {
					declared++
					if types.Kind(id) != btf.Struct || types.Name(id) != "shape" || types.Size(id) != 64 {
						t.Errorf("%s: a declaration is of %s", version, types.String(id))
					}
				}
				return true
			})
		}
		if declared == 0 {
			t.Errorf("%s: nothing is declared by a signature", version)
		}
	}
}
