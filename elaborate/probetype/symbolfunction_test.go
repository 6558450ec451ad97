// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import "testing"

func TestLongestWord(t *testing.T) {
	for pattern, want := range map[string]string{"operator new": "", "operator delete[]": "", "ns::Class::method": "method", "std::string::*append": "append", "*": ""} {
		if got := longestWord(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
