// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import "testing"

func TestLongestChain(t *testing.T) {
	for text, want := range map[string]int{
		"":                  1,
		"ab":                3,
		"ab bc ac":          7,
		"aa":                1,
		"ab bc cb cd":       15,
		"ab ba ac":          7,
		"ab bd ac cd":       13,
		"ab bc ca cd de ed": 31,
	} {
		calls := map[byte][]byte{}
		for i := 0; i+1 < len(text); i += 3 {
			calls[text[i]] = append(calls[text[i]], text[i+1])
		}
		got := chains([]byte("a"), func(f byte) []byte { return calls[f] }, func(f byte) int { return 1 << (f - 'a') })['a']
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestLongestChainMany: the number of paths doubles with each function; the time must not.
func TestLongestChainMany(t *testing.T) {
	got := chains([]int{0}, func(f int) []int {
		if f == 1000 {
			return nil
		}
		return []int{f + 1, f + 1}
	}, func(int) int { return 1 })[0]
	if got != 1001 {
		t.Errorf("%d, want 1001", got)
	}
}
