// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import "math/rand/v2"

// Choices are bytes that decisions are derived from, one after the other. When there are no more, the
// first alternative is always chosen, so that generation ends.
type choices struct{ rest []byte }

// random returns n bytes for choices, from a seed.
func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]byte, n)
	for i := range list {
		list[i] = byte(r.Uint32())
	}
	return list
}

// n chooses a number from 0 to n-1.
func (c *choices) n(n int) int {
	if n <= 1 {
		return 0
	}
	value := 0
	for most := n - 1; most > 0; most >>= 8 {
		if len(c.rest) == 0 {
			return value % n
		}
		value = value<<8 | int(c.rest[0])
		c.rest = c.rest[1:]
	}
	return value % n
}

// one is true in one of n cases.
func (c *choices) one(n int) bool { return c.n(n) == n-1 && n > 1 }

// more reports whether choices are left.
func (c *choices) more() bool { return len(c.rest) > 0 }

// pick chooses from a list, "" if it is empty.
func pick[T any](c *choices, list ...T) (chosen T) {
	if len(list) == 0 {
		return chosen
	}
	return list[c.n(len(list))]
}
