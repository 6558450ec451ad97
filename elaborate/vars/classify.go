// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"slices"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A class is the kind of register that a word of an argument or a result is passed in
// (System V ABI for AMD64, 3.2.3).
type class uint8

const (
	unused  class = iota // padding
	general              // INTEGER
	vector               // SSE
	stacked              // X87 and MEMORY
)

// A classified says how values of a type are passed.
type classified struct {
	words  []class
	memory bool  // never in registers
	byRef  bool  // a pointer to the value is passed, and words is for the pointer
	align  int64 // bytes, at least a word
}

// maxClassified bounds the fields that are visited: hostile types have any number.
const maxClassified = 1000

// classify returns how values of type id are passed.
func classify(types btf.Table, id btf.ID) classified {
	size := types.Size(id)
	if aggregate(types, id) && types.ByReference(types.Strip(id)) {
		return classified{words: []class{general}, byRef: true, align: machine.WordSize}
	}
	c := classified{words: make([]class, min(max((size+machine.WordSize-1)/machine.WordSize, 1), 1<<20)), align: machine.WordSize}
	left := maxClassified
	c.add(types, id, 0, &left)
	c.memory = c.memory || slices.Contains(c.words, stacked)
	if aggregate(types, id) {
		c.memory = c.memory || size > machine.MaxInRegisters
		for i, w := range c.words {
			if w == unused {
				c.words[i] = vector // nothing but padding takes no general register
			}
		}
	} else if size == 0 {
		c.words[0] = general
	}
	return c
}

// aggregate reports whether id is a struct, a union, an array or the like.
func aggregate(types btf.Table, id btf.ID) bool {
	switch types.Kind(types.Strip(id)) {
	case btf.Struct, btf.Union, btf.Array:
		return true
	}
	return false
}

// add classifies the field of a type at a byte of the value.
func (c *classified) add(types btf.Table, id btf.ID, at int64, left *int) {
	if *left--; *left < 0 || at/machine.WordSize >= int64(len(c.words)) || at < 0 || len(c.words) > 2 && aggregate(types, id) {
		return // a value of more than two words is in memory
	}
	t := types.Strip(id)
	size := types.Size(t)
	switch types.Kind(t) {
	case btf.Struct, btf.Union:
		for _, m := range types.Members(t) {
			if m.Bits != 0 {
				c.merge(at+m.Offset/8, 1, general)
				continue
			}
			c.add(types, m.Type, at+m.Offset/8, left)
		}
	case btf.Array:
		element := types.Target(t)
		step := types.Size(element)
		for i := int64(0); i < types.Len(t) && step > 0 && *left > 0; i++ {
			c.add(types, element, at+i*step, left)
		}
	case btf.Float:
		if size > machine.WordSize { // long double
			c.align = 2 * machine.WordSize
			c.merge(at, size, stacked)
			return
		}
		c.merge(at, size, vector)
	default:
		if size > machine.WordSize { // __int128
			c.align = 2 * machine.WordSize
		}
		c.merge(at, max(size, 1), general)
	}
}

// merge gives the bytes from at on a class; a word with bytes of class general is general.
func (c *classified) merge(at, size int64, to class) {
	for w := at / machine.WordSize; w <= (at+size-1)/machine.WordSize && w < int64(len(c.words)); w++ {
		switch have := c.words[w]; {
		case have == stacked || to == stacked:
			c.words[w] = stacked
		case have == general || to == general:
			c.words[w] = general
		default:
			c.words[w] = to
		}
	}
}

// count is how many words are of a class.
func (c *classified) count(of class) (n int) {
	for _, w := range c.words {
		if w == of {
			n++
		}
	}
	return n
}

// registers returns the words' registers, each class numbered by itself; the others are nil.
func (c *classified) registers(generals, vectors func(int) program.Expr) []program.Expr {
	list := make([]program.Expr, len(c.words))
	n, v := 0, 0
	for i, w := range c.words {
		switch w {
		case general:
			list[i] = generals(n)
			n++
		case vector:
			list[i] = vectors(v)
			v++
		}
	}
	return list
}

// vectorRegister returns the n-th register of floating point numbers, of a program.
func vectorRegister(at syntax.Pos, n int) program.Expr {
	return &program.Register{At: at, Number: machine.FirstVector + n}
}
