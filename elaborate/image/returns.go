// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"bytes"

	"golang.org/x/arch/x86/x86asm"
)

// maxReturns bounds the return instructions of a function, and maxReturnCode its size in bytes.
const (
	maxReturns    = 64
	maxReturnCode = 1 << 20
)

// Returns returns the addresses, as linked, of the instructions that return from the function of size bytes at
// start. It returns nil if they are not known, or may not be all: if the code can't be decoded, or jumps to
// another function or to a computed address.
func (p *Program) Returns(start uint64, size uint64) []uint64 {
	if size == 0 || size > maxReturnCode {
		return nil
	}
	code := p.Code(start, int(size))
	if uint64(len(code)) != size {
		return nil
	}
	var list []uint64
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
			list = append(list, start+at)
		case in.Op == x86asm.LRET || in.Op == x86asm.IRET || in.Op == x86asm.IRETD || in.Op == x86asm.IRETQ || in.Op == x86asm.SYSRET:
			return nil
		case in.Op == x86asm.JMP || isConditional(in.Op):
			if to, ok := in.Args[0].(x86asm.Rel); !ok || next+uint64(int64(to)) >= size {
				return nil
			}
		}
		at = next
	}
	if len(list) > maxReturns {
		return nil
	}
	return list
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
