// SPDX-License-Identifier: GPL-2.0-or-later

// Package suggest finds the known names that are most similar to a misspelt one.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

// maxName is the maximal length of names for which similar ones are searched.
const maxName = 64

// Hint returns `did you mean "x"?` for the most similar name in known, or for up to three that are
// equally similar; "" if none is.
func Hint(name string, known []string) string {
	near := Nearest(name, known, 3)
	if len(near) == 0 {
		return ""
	}
	least := distance(name, near[0], len(name))
	for i, other := range near {
		if distance(name, other, len(name)) > least {
			near = near[:i]
			break
		}
	}
	return DidYouMean(near)
}

// Nearest returns up to n names in known whose distance is at most a third of name's length, the
// nearest first.
func Nearest(name string, known []string, n int) []string {
	if len(name) > maxName {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	limit := max(1, len(name)/3)
	var near []candidate
	for _, k := range known {
		if k == name {
			continue
		}
		if d := distance(name, k, limit); d <= limit {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(begins(b.name, name), begins(a.name, name)), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range near[:min(n, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// begins is 1 if name has the prefix, else 0.
func begins(name, prefix string) int {
	if strings.HasPrefix(name, prefix) {
		return 1
	}
	return 0
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours that turn a
// into b; above limit it may be any larger number.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > limit {
			return limit + 1
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
