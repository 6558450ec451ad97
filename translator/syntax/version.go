// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// CompareVersions orders version strings as strverscmp(3) does: like strings, but runs of digits as
// numbers, and runs with leading zeros as fractions.
func CompareVersions(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return 0
	}
	// start is the beginning of the run of digits with the first difference.
	start := i
	for start > 0 && isDigit(a, start-1) {
		start--
	}
	if !isDigit(a, i) && !isDigit(b, i) || start == i && !(isDigit(a, i) && isDigit(b, i)) {
		return at(a, i) - at(b, i)
	}
	if fractional(a, start) || fractional(b, start) {
		return compareFractions(a, b, start, i)
	}
	if n, m := digitRun(a, i), digitRun(b, i); n != m {
		return n - m
	}
	return at(a, i) - at(b, i)
}

// compareFractions orders two digit runs of which one begins with a zero. More
// leading zeros come first: "000" < "00" < "01" < "010" < "09" < "0" < "1".
func compareFractions(a, b string, start, i int) int {
	zeros := true // the common part of the runs is all zeros
	for k := start; k < i; k++ {
		zeros = zeros && a[k] == '0'
	}
	if zeros {
		switch {
		case !isDigit(a, i): // a has no digits but these zeros
			return 1
		case !isDigit(b, i):
			return -1
		}
	}
	return at(a, i) - at(b, i)
}

func isDigit(s string, i int) bool { return i < len(s) && class[s[i]]&cDigit != 0 }

func fractional(s string, i int) bool { return i < len(s) && s[i] == '0' }

func digitRun(s string, i int) int {
	n := i
	for isDigit(s, n) {
		n++
	}
	return n - i
}

func at(s string, i int) int {
	if i < len(s) {
		return int(s[i])
	}
	return 0
}

// hasWildcard reports whether pattern holds one of fnmatch's wildcards.
func hasWildcard(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

// matchWildcard matches s against a pattern of *, ?, [a-z], [!a-z] and \x, as
// fnmatch(3) without flags does. It takes at most len(pattern)·len(s) steps.
func matchWildcard(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0 // where to resume after the last *
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if n := matchOne(pattern[p:], s[i]); n > 0 {
			p += n
			i++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches c against the pattern's first element and returns the element's length, 0 if it does
// not match.
func matchOne(pattern string, c byte) int {
	if pattern == "" {
		return 0
	}
	switch pattern[0] {
	case '?':
		return 1
	case '\\':
		if len(pattern) > 1 {
			if pattern[1] == c {
				return 2
			}
			return 0
		}
	case '[':
		if end, ok := matchSet(pattern, c); end > 0 {
			if ok {
				return end
			}
			return 0
		}
	}
	if pattern[0] == c {
		return 1
	}
	return 0
}

// matchSet matches c against the set at the beginning of pattern. end is the set's length, 0 if it has
// no closing bracket.
func matchSet(pattern string, c byte) (end int, ok bool) {
	i := 1
	not := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if not {
		i++
	}
	for first := i; i < len(pattern); i++ {
		lo := pattern[i]
		if lo == ']' && i > first {
			return i + 1, ok != not
		}
		hi := lo
		if i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']' {
			hi = pattern[i+2]
			i += 2
		}
		if lo <= c && c <= hi {
			ok = true
		}
	}
	return 0, false
}
