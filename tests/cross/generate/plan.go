// SPDX-License-Identifier: GPL-2.0-or-later

// Package generate combines what scripts can do with the contexts that handlers run in: it writes
// scripts, each with some items - the library's functions and the language's constructs - in one
// context, such that each item is once in each context that it fits, and pairs each context with all
// events.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Plan makes the scripts of a context, with at most the given number of items each. They depend only on
// the arguments, including the seed.
func Plan(c *Context, items []Item, most int, places *Places, seed uint64) []*Script {
	var fitting []*Item
	for i := range items {
		if items[i].fits(c) {
			fitting = append(fitting, &items[i])
		}
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(c.Name))<<32+uint64(c.Name[0])))
	r.Shuffle(len(fitting), func(i, j int) { fitting[i], fitting[j] = fitting[j], fitting[i] })
	point := places.in(c.Point)
	var scripts []*Script
	for n := 0; len(fitting) > 0; n++ {
		here := fitting[:min(most, len(fitting))]
		fitting = fitting[len(here):]
		name := "x_" + strings.NewReplacer("-", "_", ".", "_").Replace(c.Name) + fmt.Sprint(n)
		scripts = append(scripts, write(name, c, here, point, n))
	}
	return scripts
}
