// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"slices"

	"github.com/pkg/errors"
)

// A PieceKind says where a piece of a variable is.
type PieceKind uint8

const (
	Nowhere    PieceKind = iota // optimized out
	InMemory                    // at the address X
	InRegister                  // in register N
	IsValue                     // it is X
	IsBytes                     // it is Bytes
	IsPointer                   // to what is N bytes into To, which may be in no memory
)

// A Piece is a part of a variable.
type Piece struct {
	Kind  PieceKind
	X     *Expr
	N     int64
	Bytes []byte
	To    *Variable
	Bits  int64 // 0: all of the variable
	Skip  int64 // how many bits of the register or value lie before the piece
}

// A Location is where a variable is: in one piece, or several, which begin with
// its lowest bits.
type Location struct{ Pieces []Piece }

// AtEntry reports whether the location takes what registers held at the function's
// entry, which are not there any more.
func (l *Location) AtEntry() bool {
	return slices.ContainsFunc(l.Pieces, func(p Piece) bool { return p.X.atEntry() })
}

// ErrEntryOnly is the error for values that were there at the function's entry
// and are nowhere now.
var ErrEntryOnly = errors.New("it was there only at the function's entry")
