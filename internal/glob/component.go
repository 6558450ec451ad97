// SPDX-License-Identifier: GPL-2.0-or-later

package glob

import "strings"

// anything stands for ** in a pattern; names have no such byte.
const anything = 0

// MatchComponents reports whether name matches pattern, in which * stands for
// any characters but a dot, and ** for any at all.
func MatchComponents(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == name
	}
	pattern = strings.ReplaceAll(pattern, "**", string(rune(anything)))
	matched := make([]bool, len(pattern)+1) // [i]: the first i elements of pattern match the part of name that has been read
	next := make([]bool, len(pattern)+1)
	matched[0] = true
	skipStars(pattern, matched)
	for i := range len(name) {
		clear(next)
		for p := range len(pattern) {
			switch {
			case !matched[p]:
			case pattern[p] == anything || pattern[p] == '*' && name[i] != '.':
				next[p] = true
			case pattern[p] == name[i]:
				next[p+1] = true
			}
		}
		skipStars(pattern, next)
		matched, next = next, matched
	}
	return matched[len(pattern)]
}

// skipStars also matches wildcards with the empty string.
func skipStars(pattern string, matched []bool) {
	for p := range len(pattern) {
		if matched[p] && (pattern[p] == anything || pattern[p] == '*') {
			matched[p+1] = true
		}
	}
}
