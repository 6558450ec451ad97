// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"bytes"
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// maxReturns bounds the return instructions of a function, maxParts its pieces, and maxReturnCode their size in bytes.
const (
	maxReturns    = 64
	maxParts      = 8
	maxReturnCode = 1 << 20
)

// Returns returns the addresses, as linked, of the instructions that return from the function of size bytes at
// start: those of its code, and of parts of it that the compiler has put elsewhere, as they are rarely run. known is false if they may not
// be all: if the code can't be decoded, or ends with a jump to another function.
func (p *Program) Returns(start uint64, size uint64) (list []uint64, known bool) {
	parts := []*piece{p.piece(start, start+size)}
	for i := 0; i < len(parts); i++ {
		if parts[i] == nil || len(parts) > maxParts {
			return nil, false
		}
		list = append(list, parts[i].returns...)
		for _, to := range parts[i].jumps {
			if slices.ContainsFunc(parts, func(part *piece) bool { return part.has(to) }) {
				continue
			}
			low, high, ok := p.Described(to)
			if !ok {
				return nil, false
			}
			elsewhere := p.piece(low, high)
			if p.Framed(to) || p.isCold(low) {
				parts = append(parts, elsewhere)
			} else if elsewhere == nil || !elsewhere.endless(parts) {
				return nil, false
			}
		}
	}
	if len(list) > maxReturns {
		return nil, false
	}
	slices.Sort(list)
	return list, true
}

// isCold reports whether a symbol says that a part of a function begins at addr, which the compiler has put elsewhere: NAME.cold.
func (p *Program) isCold(addr uint64) bool {
	if p.cold == nil {
		p.cold = map[uint64]bool{}
		for _, f := range p.Symbols().Glob("*.cold") {
			p.cold[f.Addr] = true
		}
	}
	return p.cold[addr]
}

// A piece is consecutive code of a function.
type piece struct {
	low, high uint64
	returns   []uint64 // instructions that return
	jumps     []uint64 // where it jumps to outside
}

func (c *piece) has(addr uint64) bool { return c != nil && c.low <= addr && addr < c.high }

// endless reports whether control that comes to c neither returns there nor leaves it but to parts.
func (c *piece) endless(parts []*piece) bool {
	return len(c.returns) == 0 && !slices.ContainsFunc(c.jumps, func(to uint64) bool {
		return !slices.ContainsFunc(parts, func(part *piece) bool { return part.has(to) })
	})
}

// piece decodes the code from low to high; it returns nil if that can't be decoded, jumps to a computed address that may be
// another function's, or runs on into what follows.
func (p *Program) piece(low, high uint64) *piece {
	bounds := [2]uint64{low, high}
	c, ok := p.pieces[bounds]
	if !ok {
		c = p.decodePiece(low, high)
		p.pieces[bounds] = c
	}
	return c
}

func (p *Program) decodePiece(low, high uint64) *piece {
	size := high - low
	if size == 0 || size > maxReturnCode {
		return nil
	}
	code := p.Code(low, int(size))
	if uint64(len(code)) != size {
		return nil
	}
	c := &piece{low: low, high: high}
	ends, computed := false, false
	var before [2]x86asm.Inst
	for at := uint64(0); at < size; {
		rest := code[at:]
		if bytes.HasPrefix(rest, endbr64) {
			at += uint64(len(endbr64))
			continue
		}
		in, err := x86asm.Decode(rest, 64)
		if err != nil || isVector(rest) || in.Len == 1 && bytes.IndexByte(prefixes, rest[0]) >= 0 {
			return nil
		}
		next := at + uint64(in.Len)
		switch {
		case in.Op == x86asm.RET:
			c.returns = append(c.returns, low+at)
		case in.Op == x86asm.LRET || in.Op == x86asm.IRET || in.Op == x86asm.IRETD || in.Op == x86asm.IRETQ || in.Op == x86asm.SYSRET:
			return nil
		case in.Op == x86asm.JMP || isConditional(in.Op):
			if by, ok := in.Args[0].(x86asm.Rel); ok {
				if to := low + next + uint64(int64(by)); !c.has(to) {
					c.jumps = append(c.jumps, to)
				}
			} else if !byTable(before, in) {
				if computed = p.Framed(low + at); !computed {
					return nil // with a frame on the stack it would be a jump within the function
				}
			}
		}
		if in.Op != x86asm.NOP {
			ends = isEnd(in.Op)
			before = [2]x86asm.Inst{before[1], in}
		}
		at = next
	}
	if !ends || computed && !p.exact(c.returns) {
		return nil
	}
	return c
}

// byTable reports whether a jump is one of a switch in code that runs at any address, by a table of offsets from itself:
//
//	movslq (%rcx,%rdi,4), %rdx
//	add %rcx, %rdx
//	jmp *%rdx
func byTable(before [2]x86asm.Inst, jump x86asm.Inst) bool {
	load, add, to := before[0], before[1], jump.Args[0]
	from, ok := load.Args[1].(x86asm.Mem)
	return ok && load.Op == x86asm.MOVSXD && from.Scale == 4 && from.Index != 0 && load.Args[0] == to &&
		add.Op == x86asm.ADD && add.Args[0] == to && add.Args[1] == x86asm.Arg(from.Base)
}

// exact reports whether call frame information describes the stack where it is given back, too, and not only where functions are called:
// at the instructions that return the return address is on top.
func (p *Program) exact(returns []uint64) bool {
	return len(returns) > 0 && !slices.ContainsFunc(returns, func(at uint64) bool { return !p.Called(at) })
}

// isEnd reports whether a function may end with an instruction; the function that a call is of may not return.
func isEnd(op x86asm.Op) bool {
	switch op {
	case x86asm.RET, x86asm.JMP, x86asm.CALL, x86asm.UD1, x86asm.UD2, x86asm.HLT, x86asm.INT:
		return true
	}
	return false
}

// isConditional reports whether an instruction is a conditional jump.
func isConditional(op x86asm.Op) bool {
	switch op {
	case x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JCXZ, x86asm.JE, x86asm.JECXZ, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE,
		x86asm.JNE, x86asm.JNO, x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JRCXZ, x86asm.JS,
		x86asm.LOOP, x86asm.LOOPE, x86asm.LOOPNE, x86asm.XBEGIN:
		return true
	}
	return false
}
