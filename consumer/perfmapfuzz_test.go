// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gostap/consumer/userimage"
)

// FuzzPerfMap: whatever a program writes, functions are in order, and their names can be shown.
func FuzzPerfMap(f *testing.F) {
	f.Add([]byte("1000 20 add ./sum.js:3\n2000 10 old\n0x2000 10 new\nnonsense\n"))
	f.Add([]byte("ffffffffffffffff ffffffffffffffff a\x1b[31m\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list := parsePerfMap(text)
		if !slices.IsSortedFunc(list, func(a, b userimage.Symbol) int { return cmp.Compare(a.Addr, b.Addr) }) {
			t.Errorf("%v", list)
		}
		m := perfMap{symbols: list}
		for _, s := range list {
			m.lookUp(s.Addr)
			if strings.ContainsFunc(s.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q", s.Name)
			}
		}
	})
}
