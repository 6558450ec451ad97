// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"slices"

	"github.com/pkg/errors"
)

// A PieceKind is the kind of a piece's location.
type PieceKind uint8

const (
	Nowhere    PieceKind = iota // optimized out
	InMemory                    // at the address X
	InRegister                  // in register N
	IsValue                     // it is X
	IsBytes                     // it is Bytes
	IsPointer                   // a pointer to byte N of To, which may not be in memory
)

// A Piece is a part of a variable.
type Piece struct {
	Kind  PieceKind
	X     *Expr
	N     int64
	Bytes []byte
	To    *Variable
	Bits  int64 // 0: all of the variable
	Skip  int64 // bits of the register or value before the piece
}

// A Location is a variable's location: one piece, or several, lowest bits first.
type Location struct{ Pieces []Piece }

// AtEntry reports whether the location depends on the values of registers at the
// function's entry.
func (l *Location) AtEntry() bool {
	return slices.ContainsFunc(l.Pieces, func(p Piece) bool { return p.X.atEntry() })
}

// ErrEntryOnly is the error for values that existed at the function's entry only.
var ErrEntryOnly = errors.New("it was there only at the function's entry")
