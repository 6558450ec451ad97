// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"slices"

	"github.com/pkg/errors"
)

var (
	errLoop  = errors.New("it is computed in a loop, which scripts can't follow")
	errPlace = errors.New("a condition decides what kind of place it is in, which scripts can't follow")
)

// jump moves to another operation of an expression, for DW_OP_skip and DW_OP_bra.
func jump(b *buf, over int16) {
	at := b.at + int(over)
	if at < 0 || at > len(b.data) {
		b.bad = true
		return
	}
	b.at = at
}

// branch executes DW_OP_bra and the rest of the expression: both branches, unless the condition
// is constant. Loops with a constant number of iterations are unrolled.
func (m *exprBuilder) branch(b buf) ([]Piece, error) {
	over, condition := int16(b.u16()), m.pop(&b)
	far := b
	jump(&far, over)
	switch {
	case condition.Op == OpConst && condition.N != 0:
		return m.run(far)
	case condition.Op == OpConst:
		return m.run(b)
	case over < 0:
		return nil, errLoop
	}
	other := *m
	other.stack, other.pieces = slices.Clone(m.stack), slices.Clone(m.pieces)
	taken, err := other.run(far)
	if err != nil {
		return nil, err
	}
	m.ops, m.calls = other.ops, other.calls
	straight, err := m.run(b)
	if err != nil {
		return nil, err
	}
	return join(condition, taken, straight)
}

// join combines the pieces of both branches, by the condition.
func join(condition *Expr, yes, no []Piece) ([]Piece, error) {
	if len(yes) != len(no) {
		return nil, errPlace
	}
	joined := make([]Piece, len(yes))
	for i, p := range yes {
		q := no[i]
		same := p.Kind == q.Kind && p.N == q.N && p.X == q.X && p.To == q.To && slices.Equal(p.Bytes, q.Bytes)
		if !same {
			p, q = p.value(), q.value()
			if p.Kind != q.Kind || p.X == nil || q.X == nil {
				return nil, errPlace
			}
			p.X = &Expr{Op: OpCond, X: condition, Y: p.X, Z: q.X}
		}
		if p.Bits != q.Bits || p.Skip != q.Skip {
			return nil, errPlace
		}
		joined[i] = p
	}
	return joined, nil
}

// value returns p as a value, if it is in a register.
func (p Piece) value() Piece {
	if p.Kind == InRegister {
		p.Kind, p.X = IsValue, &Expr{Op: OpRegister, N: p.N}
	}
	return p
}
