// SPDX-License-Identifier: GPL-2.0-or-later

package regex

import "fmt"

// Op is an instruction's operation. runtime-c/include/gs_regex.h has the same numbers.
type Op uint8

const (
	Match Op = iota
	Byte     // if the next byte is in Set: continue at X
	Split    // continue at X, or else at Y
	Save     // save the position in slot Y, continue at X
	Bol      // if at the beginning: continue at X
	Eol      // if at the end: continue at X
)

// An Inst is one instruction of the NFA's program.
type Inst struct {
	Op   Op
	X, Y int
	Set  int // index into Sets
}

// maxInsts bounds the program: the time for finding groups is proportional to it.
const maxInsts = 2000

type compiler struct {
	insts []Inst
	sets  []set
	index map[set]int
}

func (c *compiler) emit(in Inst) int {
	if len(c.insts) >= maxInsts {
		panic(&Error{0, fmt.Sprintf("more than %d states", maxInsts)})
	}
	c.insts = append(c.insts, in)
	return len(c.insts) - 1
}

func (c *compiler) set(s set) int {
	i, ok := c.index[s]
	if !ok {
		i = len(c.sets)
		c.index[s] = i
		c.sets = append(c.sets, s)
	}
	return i
}

// compile makes the program for n followed by a Match; the result is the index of the first
// instruction.
func (c *compiler) compile(n node) int {
	end := c.emit(Inst{Op: Match})
	save := c.emit(Inst{Op: Save, X: end, Y: 1})
	return c.emit(Inst{Op: Save, X: c.node(n, save), Y: 0})
}

// node makes the program for n, which continues at next.
func (c *compiler) node(n node, next int) int {
	switch n := n.(type) {
	case bytes:
		return c.emit(Inst{Op: Byte, X: next, Set: c.set(n.set)})
	case anchor:
		if n.end {
			return c.emit(Inst{Op: Eol, X: next})
		}
		return c.emit(Inst{Op: Bol, X: next})
	case cat:
		for i := len(n) - 1; i >= 0; i-- {
			next = c.node(n[i], next)
		}
	case alt:
		first := c.node(n[len(n)-1], next)
		for i := len(n) - 2; i >= 0; i-- {
			first = c.emit(Inst{Op: Split, X: c.node(n[i], next), Y: first})
		}
		return first
	case group:
		end := c.emit(Inst{Op: Save, X: next, Y: 2*n.n + 1})
		return c.emit(Inst{Op: Save, X: c.node(n.x, end), Y: 2 * n.n})
	case repeat:
		return c.repeat(n, next)
	}
	return next
}

func (c *compiler) repeat(n repeat, next int) int {
	if n.max < 0 {
		loop := c.emit(Inst{Op: Split, Y: next})
		c.insts[loop].X = c.node(n.x, loop)
		next = loop
	} else {
		end := next
		for range n.max - n.min {
			next = c.emit(Inst{Op: Split, X: c.node(n.x, next), Y: end})
		}
	}
	for range n.min {
		next = c.node(n.x, next)
	}
	return next
}
