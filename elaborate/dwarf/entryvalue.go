// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"github.com/go-delve/delve/pkg/dwarf/op"
	"github.com/pkg/errors"
)

// entryValue evaluates an expression at the function's entry, at the entry itself.
func (m *exprBuilder) entryValue(p []byte) error {
	if m.calls++; m.calls > maxCalls {
		return errDWARF
	}
	inner := *m
	loc, err := inner.location(p)
	if err != nil {
		return err
	}
	m.ops = inner.ops
	if len(loc.Pieces) != 1 {
		return errDWARF
	}
	switch piece := loc.Pieces[0]; piece.Kind {
	case InRegister:
		m.push(&Expr{Op: OpRegister, N: piece.N})
	case InMemory, IsValue:
		m.push(piece.X)
	default:
		return errDWARF
	}
	return nil
}

// laterEntryValue evaluates an expression at the function's entry, after the entry:
// it must be a register.
func (m *exprBuilder) laterEntryValue(p []byte) error {
	b := buf{data: p}
	c, n := op.Opcode(b.u8()), int64(0)
	switch {
	case c >= op.DW_OP_reg0 && c <= op.DW_OP_reg31:
		n = int64(c - op.DW_OP_reg0)
	case c == op.DW_OP_regx:
		n = int64(b.uleb())
	default:
		return ErrEntryOnly
	}
	if b.bad || b.left() > 0 {
		return errDWARF
	}
	frame, err := m.u.cfa(m.pc)
	if err != nil {
		return err
	}
	m.push(&Expr{Op: OpEntry, N: n, X: frame})
	return nil
}

// base evaluates DW_AT_frame_base.
func (m *exprBuilder) base() (*Expr, error) {
	if m.frameBase == nil {
		return nil, errors.New("the debuginfo does not say where the function's frame is")
	}
	inner := exprBuilder{u: m.u, pc: m.pc, entry: m.entry, ops: m.ops}
	loc, err := inner.location(m.frameBase)
	if err != nil {
		return nil, err
	}
	if len(loc.Pieces) == 1 {
		switch piece := loc.Pieces[0]; piece.Kind {
		case InRegister:
			return &Expr{Op: OpRegister, N: piece.N}, nil
		case InMemory, IsValue:
			return piece.X, nil
		}
	}
	return nil, errDWARF
}
