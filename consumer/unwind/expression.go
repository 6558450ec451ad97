// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import "bytes"

// DWARF's operations in the expressions that are supported.
const (
	opDeref      = 0x06
	opAnd        = 0x1a
	opPlus       = 0x22
	opPlusUconst = 0x23
	opShl        = 0x24
	opGe         = 0x2a
	opLit0       = 0x30
	opLit3       = opLit0 + 3
	opLit15      = opLit0 + 15
	opBreg0      = 0x70
	opBreg7      = opBreg0 + 7
	opBreg16     = opBreg0 + 16
)

// cfaExpression returns the rule of an expression for the canonical frame address. There are two kinds:
//
//   - the word at a register and an offset, plus an offset: for signal frames, and for functions that align
//     their stack and save the old stack pointer, by compilers and in hand-written assembly;
//   - that of the linker's procedure linkage table: rsp + 8, and 8 more once the entry has pushed its number.
func cfaExpression(e []byte) Rule {
	if r, ok := pltExpression(e); ok {
		return r
	}
	b := reader{code: e}
	r, ok := b.breg()
	if !ok {
		return Rule{}
	}
	r.Offset += b.added()
	if len(b.code) > 0 && b.u8() == opDeref {
		r.CFA = CFADeref
		r.Add = b.added()
	}
	if b.bad || len(b.code) > 0 {
		return Rule{}
	}
	return r
}

// breg reads DW_OP_bregN.
func (b *reader) breg() (Rule, bool) {
	op := b.u8()
	offset := b.sleb()
	if b.bad || op < opBreg0 || op >= opBreg0+registers || offset < -1<<30 || offset > 1<<30 {
		return Rule{}, false
	}
	return byRegister(uint64(op-opBreg0), offset), true
}

// added reads DW_OP_plus_uconst, if it follows; else it returns 0.
func (b *reader) added() int32 {
	if len(b.code) == 0 || b.code[0] != opPlusUconst {
		return 0
	}
	b.u8()
	n := b.uleb()
	b.bad = b.bad || n > 1<<30
	return int32(n)
}

// pltExpression recognises breg7+8, breg16+0, lit15, and, litN, ge, lit3, shl, plus.
func pltExpression(e []byte) (Rule, bool) {
	const size = 11
	if len(e) != size || e[0] != opBreg7 || e[1] != 8 || e[6] < opLit0 || e[6] > opLit15 {
		return Rule{}, false
	}
	if !bytes.Equal(e[2:6], []byte{opBreg16, 0, opLit15, opAnd}) || !bytes.Equal(e[7:], []byte{opGe, opLit3, opShl, opPlus}) {
		return Rule{}, false
	}
	return Rule{CFA: CFAPLT, Register: rsp, Offset: 8, Add: int32(e[6] - opLit0)}, true
}

// ruleExpression returns the rule of an expression for a register: saved at another register and an offset.
func ruleExpression(e []byte) registerRule {
	b := reader{code: e}
	r, ok := b.breg()
	if !ok || len(b.code) > 0 {
		return registerRule{kind: unsupported}
	}
	return registerRule{saved, r.Register, r.Offset}
}
