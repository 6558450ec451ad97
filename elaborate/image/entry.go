// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"bytes"

	"golang.org/x/arch/x86/x86asm"
)

// maxStackCheck is how many instructions Go's check of the stack's size takes at most.
const maxStackCheck = 8

// Entry returns the address at which the entry of a function that begins at start, as linked, is probed: behind instructions
// that leave all arguments in place. Such are endbr64, which the kernel would have to single-step, and, in Go programs, the
// check of the stack's size: if the stack has to grow, the function is restarted, and would be hit twice.
func (p *Program) Entry(start uint64) uint64 {
	code := p.Code(start, 64)
	at := uint64(0)
	if bytes.HasPrefix(code, endbr64) {
		at = uint64(len(endbr64))
	}
	if p.IsGo {
		at += stackCheck(code[at:])
	}
	return start + at
}

// stackCheck returns the size in bytes of Go's check of the stack's size, 0 if code does not begin with one. The
// goroutine, in R14, has its stack's limit at offset 16.
//
//	[LEA -n(SP), R12] CMP 16(R14), SP or R12; JBE
//	MOV SP, R12; SUB n, R12; JB; CMP 16(R14), R12; JBE
func stackCheck(code []byte) (size uint64) {
	compared := false
	for range maxStackCheck {
		in, err := x86asm.Decode(code[size:], 64)
		if err != nil {
			return 0
		}
		size += uint64(in.Len)
		switch in.Op {
		case x86asm.CMP:
			for _, arg := range in.Args[:2] {
				m, ok := arg.(x86asm.Mem)
				compared = compared || ok && m.Base == x86asm.R14 && m.Disp == 16
			}
		case x86asm.JBE:
			if compared {
				return size
			}
			return 0
		case x86asm.LEA, x86asm.MOV, x86asm.SUB, x86asm.JB:
			if in.Op != x86asm.JB && in.Args[0] != x86asm.R12 {
				return 0
			}
		default:
			return 0
		}
		if size >= uint64(len(code)) {
			return 0
		}
	}
	return 0
}
