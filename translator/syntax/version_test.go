// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "testing"

func TestCompareVersions(t *testing.T) {
	// Each list is in ascending order; the first is strverscmp(3)'s own example.
	for _, list := range [][]string{
		{"000", "00", "01", "010", "09", "0", "1", "9", "10"},
		{"", "2.6", "2.6.9", "2.6.13", "2.6.13-1", "2.6.13-1.322FC3smp", "2.6.13-1.1000", "2.7", "2.10", "3"},
		{"6.1.0-9", "6.1.0-56-cloud-amd64", "6.1.0-56-cloud-amd64x"},
		{"a0", "a1", "a9", "a10", "b"},
		{"1.05", "1.06", "1.5", "1.50"},
	} {
		for i, a := range list {
			for j, b := range list {
				got := CompareVersions(a, b)
				if got < 0 != (i < j) || got > 0 != (i > j) {
					t.Errorf("CompareVersions(%q, %q) = %d", a, b, got)
				}
			}
		}
	}
}

func TestMatchWildcard(t *testing.T) {
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"a*c", "abbc", true}, {"a*c", "abcb", false}, {"a**b*", "ab", true},
		{"?", "", false}, {"a?c", "abc", true}, {"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[^a]", "b", true}, {"[]a]", "]", true},
		{"[a", "[a", true}, {`\*`, "*", true}, {`\*`, "x", false}, {`a\`, `a\`, true}, {"[a-]", "-", true},
	} {
		if got := matchWildcard(tt.pattern, tt.s); got != tt.want {
			t.Errorf("matchWildcard(%q, %q) = %v", tt.pattern, tt.s, got)
		}
	}
}
