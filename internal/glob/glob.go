// SPDX-License-Identifier: GPL-2.0-or-later

// Package glob matches names against the two kinds of wildcards that SystemTap
// has: the shell's, for names in arguments of probe points (glob.go), and those for
// components of probe points (component.go).
//
//	glob.Match("vfs_[rw]*", "vfs_read")
//	glob.MatchComponents("syscall.**", "syscall.open.return")
//
// Both take time that is bounded by the product of the lengths.
package glob

// Match reports whether name matches the shell pattern, as fnmatch(3) has it.
func Match(pattern, name string) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from = p, n
			p++
			continue
		}
		if p < len(pattern) {
			if ok, next := matchOne(pattern, p, name[n]); ok {
				p = next
				n++
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, n = star+1, from
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches one character against the element at p in pattern, and returns
// the position behind that.
func matchOne(pattern string, p int, c byte) (bool, int) {
	switch pattern[p] {
	case '?':
		return true, p + 1
	case '[':
		if ok, next := matchSet(pattern, p, c); next > 0 {
			return ok, next
		}
	case '\\':
		if p+1 < len(pattern) {
			return pattern[p+1] == c, p + 2
		}
	}
	return pattern[p] == c, p + 1
}

// matchSet matches c against the set that starts at p; next is 0 if the set
// does not end, and [ stands for itself.
func matchSet(pattern string, p int, c byte) (ok bool, next int) {
	i := p + 1
	not := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if not {
		i++
	}
	for first := i; i < len(pattern) && (pattern[i] != ']' || i == first); i++ {
		low := pattern[i]
		high := low
		if i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']' {
			high = pattern[i+2]
			i += 2
		}
		ok = ok || low <= c && c <= high
	}
	if i >= len(pattern) {
		return false, 0
	}
	return ok != not, i + 1
}
