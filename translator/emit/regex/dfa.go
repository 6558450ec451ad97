// SPDX-License-Identifier: GPL-2.0-or-later

package regex

import (
	"fmt"
	"slices"
)

// A Regex is a compiled expression.
type Regex struct {
	Groups int // number of parentheses

	// The DFA. State 0 is the first.
	Classes [256]uint8 // the class of each byte
	NClass  int
	Next    []uint16 // state*NClass + class
	Accepts []uint8  // by state: 1: something has matched, 2: something would if the string ended here

	// The NFA's program.
	Insts []Inst
	Start int
	Sets  [][4]uint64
}

// maxStates and maxTable bound the DFA.
const (
	maxStates = 4000
	maxTable  = 64 << 10
)

// Check returns what is wrong with text as a regular expression, nil if it is valid.
func Check(text string, asStap bool) error {
	_, _, err := parse(text, asStap)
	return err
}

// Compile compiles text; an *Error describes what is wrong with it. asStap says that backslashes are
// read as SystemTap does.
func Compile(text string, asStap bool) (re *Regex, err error) {
	tree, groups, err := parse(text, asStap)
	if err != nil {
		return nil, err
	}
	defer caught(&err)
	c := &compiler{index: map[set]int{}}
	re = &Regex{Groups: groups, Start: c.compile(tree), Insts: c.insts}
	re.Insts = c.insts
	for _, s := range c.sets {
		re.Sets = append(re.Sets, s)
	}
	re.classify(c.sets)
	re.determinize(c.sets)
	return re, nil
}

// classify assigns bytes that no set distinguishes to one class.
func (re *Regex) classify(sets []set) {
	index := map[string]int{}
	for b := range 256 {
		key := make([]byte, len(sets))
		for i := range sets {
			if sets[i].has(byte(b)) {
				key[i] = 1
			}
		}
		n, ok := index[string(key)]
		if !ok {
			n = len(index)
			index[string(key)] = n
		}
		re.Classes[b] = uint8(n)
	}
	re.NClass = len(index)
}

// A builder makes the DFA's states: sets of the NFA's instructions Byte, Match and Eol.
type builder struct {
	re    *Regex
	index map[string]int
	lists [][]int
}

func (re *Regex) determinize(sets []set) {
	b := &builder{re: re, index: map[string]int{}}
	var sample []byte // a byte of each class
	for c := range re.NClass {
		sample = append(sample, byte(slices.Index(re.Classes[:], uint8(c))))
	}
	b.state(b.closure([]int{re.Start}, true, false))
	for s := 0; s < len(b.lists); s++ {
		for _, c := range sample {
			if re.Accepts[s]&1 != 0 {
				re.Next = append(re.Next, uint16(s))
				continue
			}
			var to []int
			for _, pc := range b.lists[s] {
				if in := re.Insts[pc]; in.Op == Byte && sets[in.Set].has(c) {
					to = append(to, in.X)
				}
			}
			// A match may begin anywhere.
			re.Next = append(re.Next, uint16(b.state(b.closure(append(to, re.Start), false, false))))
		}
		if len(re.Next) > maxTable || len(b.lists) > maxStates {
			panic(&Error{0, fmt.Sprintf("its automaton has more than %d states, or %d transitions", maxStates, maxTable)})
		}
	}
}

func (b *builder) state(list []int) int {
	key := make([]byte, 0, 2*len(list))
	for _, pc := range list {
		key = append(key, byte(pc), byte(pc>>8))
	}
	s, ok := b.index[string(key)]
	if ok {
		return s
	}
	s = len(b.lists)
	b.index[string(key)] = s
	b.lists = append(b.lists, list)
	var accepts uint8
	for _, pc := range list {
		if b.re.Insts[pc].Op == Match {
			accepts = 3
		}
	}
	if accepts == 0 {
		for _, pc := range b.closure(list, s == 0, true) {
			if b.re.Insts[pc].Op == Match {
				accepts = 2
			}
		}
	}
	b.re.Accepts = append(b.re.Accepts, accepts)
	return s
}

// closure follows instructions that match no byte.
func (b *builder) closure(from []int, atBegin, atEnd bool) []int {
	seen := make([]bool, len(b.re.Insts))
	var list []int
	stack := slices.Clone(from)
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := b.re.Insts[pc]; in.Op {
		case Byte, Match:
			list = append(list, pc)
		case Eol:
			list = append(list, pc)
			if atEnd {
				stack = append(stack, in.X)
			}
		case Split:
			stack = append(stack, in.X, in.Y)
		case Save:
			stack = append(stack, in.X)
		case Bol:
			if atBegin {
				stack = append(stack, in.X)
			}
		}
	}
	slices.Sort(list)
	return list
}
