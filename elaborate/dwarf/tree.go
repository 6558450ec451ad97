// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "github.com/go-delve/delve/pkg/dwarf/regnum"

// An ExprOp is the operation of an Expr.
type ExprOp uint8

const (
	OpConst    ExprOp = iota // N
	OpAddress                // the address N as linked
	OpRegister               // the value of register N, by DWARF's numbers
	OpLoad                   // N bytes from the address X, zero-extended
	OpBinary                 // X Name Y
	OpCompare                // X Name Y, 1 or 0
	OpCast                   // X cut to N bytes, sign-extended if Signed; of 8 bytes it is X
	OpCond                   // Y if X is not 0, else Z
	OpThread                 // the address of byte X of the thread's copy of its variables
	OpEntry                  // the value of register N at the function's entry; X is its canonical frame address
)

// An Expr is a DWARF expression as a tree, whose value is an address or a number of
// 64 bits.
type Expr struct {
	Op     ExprOp
	N      int64
	Name   string // + - * / % /u %u << >> >>> & | ^, or == != < <= > >=
	Signed bool
	X, Y   *Expr
	Z      *Expr
}

// typed returns x as a number of size bytes.
func typed(x *Expr, size int64, signed bool) *Expr {
	if size == 8 && signed && !x.unsigned() {
		return x
	}
	return &Expr{Op: OpCast, N: size, Signed: signed, X: x}
}

// unsigned reports whether x is an unsigned number of 64 bits, for which some
// operations differ from those of scripts' numbers.
func (x *Expr) unsigned() bool {
	switch x.Op {
	case OpCast:
		return x.N == 8 && !x.Signed
	case OpBinary:
		return x.X.unsigned() || x.Y.unsigned()
	}
	return false
}

// add returns x + n.
func add(x *Expr, n int64) *Expr {
	if n == 0 {
		return x
	}
	if x.Op == OpConst || x.Op == OpAddress {
		return &Expr{Op: x.Op, N: x.N + n}
	}
	if x.Op == OpBinary && x.Name == "+" && x.Y.Op == OpConst {
		return add(x.X, x.Y.N+n)
	}
	return &Expr{Op: OpBinary, Name: "+", X: x, Y: &Expr{Op: OpConst, N: n}}
}

// binaryExpr returns x NAME y: a constant if it is one.
func binaryExpr(name string, x, y *Expr) *Expr {
	if x.Op == OpConst && y.Op == OpConst {
		shift := uint64(y.N) < 64
		switch {
		case name == "+":
			return &Expr{N: x.N + y.N}
		case name == "-":
			return &Expr{N: x.N - y.N}
		case name == "&":
			return &Expr{N: x.N & y.N}
		case name == "^":
			return &Expr{N: x.N ^ y.N}
		case name == "<<" && shift:
			return &Expr{N: x.N << y.N}
		case name == ">>>" && shift:
			return &Expr{N: int64(uint64(x.N) >> y.N)}
		}
	}
	return &Expr{Op: OpBinary, Name: name, X: x, Y: y}
}

// compareExpr returns x NAME y: a constant if it is one.
func compareExpr(name string, x, y *Expr) *Expr {
	if x.Op != OpConst || y.Op != OpConst {
		return &Expr{Op: OpCompare, Name: name, X: x, Y: y}
	}
	holds := map[string]bool{"==": x.N == y.N, "!=": x.N != y.N, "<": x.N < y.N, "<=": x.N <= y.N, ">": x.N > y.N, ">=": x.N >= y.N}
	if holds[name] {
		return &Expr{N: 1}
	}
	return &Expr{}
}

// atEntry reports whether there is an OpEntry in the tree.
func (x *Expr) atEntry() bool {
	return x != nil && (x.Op == OpEntry || x.X.atEntry() || x.Y.atEntry() || x.Z.atEntry())
}

// inFrame reports whether x depends on no other registers than those of a function's frame.
func (x *Expr) inFrame() bool {
	if x == nil {
		return true
	}
	if x.Op == OpRegister && x.N != regnum.AMD64_Rsp && x.N != regnum.AMD64_Rbp {
		return false
	}
	return x.X.inFrame() && x.Y.inFrame() && x.Z.inFrame()
}

// weigh subtracts the number of nodes of the tree x from left. Shared nodes count each time.
func weigh(x *Expr, left *int) {
	if x == nil || *left < 0 {
		return
	}
	*left--
	weigh(x.X, left)
	weigh(x.Y, left)
	weigh(x.Z, left)
}
