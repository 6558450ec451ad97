// SPDX-License-Identifier: GPL-2.0-or-later

package profile

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzClean(f *testing.F) {
	for _, s := range []string{"vfs_read", "a\x1b[31mb", "\xff\xfe", "line\nline", "\u202egnp.exe", "ns::f<int>(char const*)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean := Clean(s)
		if !utf8.ValidString(clean) {
			t.Errorf("%q is not UTF-8", clean)
		}
		for _, r := range clean {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q has %U", clean, r)
			}
		}
		if Clean(clean) != clean {
			t.Errorf("%q becomes %q when it is cleaned again", clean, Clean(clean))
		}
	})
}
