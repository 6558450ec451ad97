// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"
	"fmt"
	"math"

	"github.com/go-delve/delve/pkg/dwarf/op"
	"github.com/pkg/errors"
)

// Bounds of an expression's evaluation.
const (
	maxOps   = 1 << 11
	maxStack = 1 << 8
	maxNodes = 1 << 12
	maxCalls = 8
)

var errLong = errors.New("it takes too long a computation")

// An exprBuilder builds trees out of DWARF expressions, which are programs for a stack machine.
type exprBuilder struct {
	u         *unit
	pc        uint64
	entry     bool   // pc is the function's entry
	frameBase []byte // DW_AT_frame_base of the function
	inFrame   bool   // this is the expression of the frame base
	scope     *Scope // of the variable, nil if this is not a variable's location
	stack     []*Expr
	pieces    []Piece
	piece     Piece // the next piece, if it is a register, a value, bytes or a pointer
	ops       int
	calls     int
}

func (m *exprBuilder) push(x *Expr) { m.stack = append(m.stack, x) }

func (m *exprBuilder) constant(n int64) { m.push(&Expr{Op: OpConst, N: n}) }

// pop returns the topmost value; a constant 0 of an empty stack, with bad set.
func (m *exprBuilder) pop(b *buf) *Expr {
	if len(m.stack) == 0 {
		b.bad = true
		return &Expr{}
	}
	x := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return x
}

var binaryOps = map[op.Opcode]string{
	op.DW_OP_and: "&", op.DW_OP_div: "/", op.DW_OP_minus: "-", op.DW_OP_mod: "%", op.DW_OP_mul: "*", op.DW_OP_or: "|",
	op.DW_OP_plus: "+", op.DW_OP_shl: "<<", op.DW_OP_shr: ">>>", op.DW_OP_shra: ">>", op.DW_OP_xor: "^",
}

// unsignedOps are the operators that differ for unsigned numbers.
var unsignedOps = map[string]string{"/": "/u", "%": "%u", ">>": ">>>"}

var compareOps = map[op.Opcode]string{
	op.DW_OP_eq: "==", op.DW_OP_ge: ">=", op.DW_OP_gt: ">", op.DW_OP_le: "<=", op.DW_OP_lt: "<", op.DW_OP_ne: "!=",
}

// Opcodes that package op does not have.
const (
	opGNUPushTLSAddress  = 0xe0
	opImplicitPointer    = 0xa0
	opAddrx              = 0xa1
	opConstx             = 0xa2
	opEntryValue         = 0xa3
	opConstType          = 0xa4
	opRegvalType         = 0xa5
	opDerefType          = 0xa6
	opConvert            = 0xa8
	opReinterpret        = 0xa9
	opGNUEntryValue      = 0xf3
	opGNUConstType       = 0xf4
	opGNURegvalType      = 0xf5
	opGNUDerefType       = 0xf6
	opGNUConvert         = 0xf7
	opGNUReinterpret     = 0xf9
	opGNUParameterRef    = 0xfa
	opGNUImplicitPointer = 0xf2
	opGNUUninit          = 0xf0
	opGNUAddrIndex       = 0xfb
	opGNUConstIndex      = 0xfc
	opGNUVariableValue   = 0xfd
)

// location turns the expression p into a location.
func (m *exprBuilder) location(p []byte) (*Location, error) {
	m.stack, m.pieces, m.piece = nil, nil, Piece{}
	pieces, err := m.run(buf{data: p})
	if err != nil {
		return nil, err
	}
	left := maxNodes
	for i := range pieces {
		weigh(pieces[i].X, &left)
	}
	if left < 0 {
		return nil, errLong
	}
	return &Location{pieces}, nil
}

// run executes the rest of an expression, and returns its pieces.
func (m *exprBuilder) run(b buf) ([]Piece, error) {
	for b.left() > 0 && !b.bad {
		if m.ops++; m.ops > maxOps || len(m.stack) > maxStack || len(m.pieces) > maxStack {
			return nil, errLong
		}
		var err error
		switch c := op.Opcode(b.u8()); {
		case c >= op.DW_OP_reg0 && c <= op.DW_OP_reg31:
			m.piece = Piece{Kind: InRegister, N: int64(c - op.DW_OP_reg0)}
		case c == op.DW_OP_regx:
			m.piece = Piece{Kind: InRegister, N: int64(b.uleb())}
		case c == op.DW_OP_stack_value:
			m.piece = Piece{Kind: IsValue, X: m.pop(&b)}
		case c == op.DW_OP_implicit_value:
			m.piece = Piece{Kind: IsBytes, Bytes: b.take(b.uleb())}
		case c == opImplicitPointer || c == opGNUImplicitPointer:
			m.piece, err = m.pointer(&b)
		case c == op.DW_OP_piece:
			m.endPiece(int64(min(b.uleb(), 1<<30))*8, 0)
		case c == op.DW_OP_bit_piece:
			bits := int64(min(b.uleb(), 1<<30))
			m.endPiece(bits, int64(min(b.uleb(), 1<<30)))
		case c == op.DW_OP_skip:
			jump(&b, int16(b.u16()))
		case c == op.DW_OP_bra:
			return m.branch(b)
		default:
			err = m.step(c, &b)
		}
		if err != nil {
			return nil, err
		}
	}
	if b.bad {
		return nil, errDWARF
	}
	if m.piece.Kind != Nowhere || len(m.stack) > 0 {
		if len(m.pieces) > 0 {
			return nil, errDWARF
		}
		m.endPiece(0, 0)
	}
	return m.pieces, nil
}

// endPiece adds the piece of the operations so far.
func (m *exprBuilder) endPiece(bits, skip int64) {
	if m.piece.Kind == Nowhere && len(m.stack) > 0 {
		m.piece = Piece{Kind: InMemory, X: m.stack[len(m.stack)-1]}
	}
	m.piece.Bits, m.piece.Skip = bits, skip
	m.pieces = append(m.pieces, m.piece)
	m.stack, m.piece = m.stack[:0], Piece{}
}

// pointer reads the operands of DW_OP_implicit_pointer.
func (m *exprBuilder) pointer(b *buf) (Piece, error) {
	var off uint64
	if m.u.version <= 2 {
		off = b.uint(int(m.u.addrSize))
	} else {
		off = b.offset(m.u.dwarf64)
	}
	n := b.sleb()
	d, ok := m.u.f.dieAt(off)
	if !ok || m.scope == nil {
		return Piece{}, errDWARF
	}
	return Piece{Kind: IsPointer, To: m.scope.describe(d), N: n}, nil
}

// step executes one operation on the stack.
func (m *exprBuilder) step(c op.Opcode, b *buf) error {
	switch {
	case c >= op.DW_OP_lit0 && c <= op.DW_OP_lit31:
		m.constant(int64(c - op.DW_OP_lit0))
		return nil
	case c >= op.DW_OP_breg0 && c <= op.DW_OP_breg31:
		m.push(add(&Expr{Op: OpRegister, N: int64(c - op.DW_OP_breg0)}, b.sleb()))
		return nil
	}
	if name, ok := binaryOps[c]; ok {
		y, x := m.pop(b), m.pop(b)
		if other, ok := unsignedOps[name]; ok && (x.unsigned() || y.unsigned()) {
			name = other
		}
		m.push(binaryExpr(name, x, y))
		return nil
	}
	if name, ok := compareOps[c]; ok {
		y, x := m.pop(b), m.pop(b)
		if x.unsigned() || y.unsigned() {
			top := &Expr{N: math.MinInt64}
			x, y = binaryExpr("^", x, top), binaryExpr("^", y, top)
		}
		m.push(compareExpr(name, x, y))
		return nil
	}
	switch c {
	case op.DW_OP_nop, opGNUUninit, opReinterpret, opGNUReinterpret:
		if c == opReinterpret || c == opGNUReinterpret {
			b.uleb()
		}
	case op.DW_OP_addr:
		m.push(&Expr{Op: OpAddress, N: int64(b.uint(int(m.u.addrSize)))})
	case opAddrx, opGNUAddrIndex:
		m.push(&Expr{Op: OpAddress, N: int64(m.u.indexedAddr(b.uleb()))})
	case opConstx, opGNUConstIndex:
		m.constant(int64(m.u.indexedAddr(b.uleb())))
	case op.DW_OP_const1u:
		m.constant(int64(b.u8()))
	case op.DW_OP_const1s:
		m.constant(int64(int8(b.u8())))
	case op.DW_OP_const2u:
		m.constant(int64(b.u16()))
	case op.DW_OP_const2s:
		m.constant(int64(int16(b.u16())))
	case op.DW_OP_const4u:
		m.constant(int64(b.u32()))
	case op.DW_OP_const4s:
		m.constant(int64(int32(b.u32())))
	case op.DW_OP_const8u, op.DW_OP_const8s:
		m.constant(int64(b.u64()))
	case op.DW_OP_constu:
		m.constant(int64(b.uleb()))
	case op.DW_OP_consts:
		m.constant(b.sleb())
	case op.DW_OP_bregx:
		n := b.uleb()
		m.push(add(&Expr{Op: OpRegister, N: int64(n)}, b.sleb()))
	case op.DW_OP_fbreg:
		base, err := m.base()
		if err != nil {
			return err
		}
		m.push(add(base, b.sleb()))
	case op.DW_OP_call_frame_cfa:
		if m.inFrame {
			return errDWARF
		}
		cfa, err := m.u.cfa(m.pc)
		if err != nil {
			return err
		}
		m.push(cfa)
	case op.DW_OP_dup, op.DW_OP_over, op.DW_OP_pick:
		n := map[op.Opcode]int{op.DW_OP_dup: 0, op.DW_OP_over: 1}[c]
		if c == op.DW_OP_pick {
			n = int(b.u8())
		}
		if n >= len(m.stack) {
			return errDWARF
		}
		m.push(m.stack[len(m.stack)-1-n])
	case op.DW_OP_drop:
		m.pop(b)
	case op.DW_OP_swap:
		y, x := m.pop(b), m.pop(b)
		m.push(y)
		m.push(x)
	case op.DW_OP_rot:
		z, y, x := m.pop(b), m.pop(b), m.pop(b)
		m.push(z)
		m.push(x)
		m.push(y)
	case op.DW_OP_form_tls_address, opGNUPushTLSAddress:
		m.push(&Expr{Op: OpThread, X: m.pop(b)})
	case op.DW_OP_deref:
		m.push(&Expr{Op: OpLoad, N: 8, X: m.pop(b)})
	case op.DW_OP_deref_size:
		return m.load(int64(b.u8()), b)
	case opDerefType, opGNUDerefType:
		size := int64(b.u8())
		b.uleb()
		return m.load(size, b)
	case op.DW_OP_plus_uconst:
		m.push(add(m.pop(b), int64(b.uleb())))
	case op.DW_OP_neg:
		m.push(binaryExpr("-", &Expr{}, m.pop(b)))
	case op.DW_OP_abs:
		x := m.pop(b)
		m.push(&Expr{Op: OpCond, X: compareExpr("<", x, &Expr{}), Y: binaryExpr("-", &Expr{}, x), Z: x})
	case op.DW_OP_not:
		m.push(binaryExpr("^", m.pop(b), &Expr{N: -1}))
	case opConstType, opGNUConstType:
		b.uleb()
		p := b.take(uint64(b.u8()))
		v := buf{data: p}
		m.constant(int64(v.uint(len(p))))
		if v.bad {
			return errors.New("it is a constant of a type that scripts do not have")
		}
	case opRegvalType, opGNURegvalType:
		n := b.uleb()
		return m.cast(&Expr{Op: OpRegister, N: int64(n)}, b.uleb())
	case opConvert, opGNUConvert:
		x := m.pop(b)
		return m.cast(x, b.uleb())
	case opEntryValue, opGNUEntryValue:
		inner := b.take(b.uleb())
		if b.bad {
			return errDWARF
		}
		if !m.entry {
			return m.laterEntryValue(inner)
		}
		return m.entryValue(inner)
	case opGNUParameterRef:
		return ErrEntryOnly
	default:
		return errors.Errorf("its location takes an operation that is not known (DW_OP %#x)", int(c))
	}
	return nil
}

func (m *exprBuilder) load(size int64, b *buf) error {
	switch size {
	case 1, 2, 4, 8:
		m.push(&Expr{Op: OpLoad, N: size, X: m.pop(b)})
		return nil
	}
	return fmt.Errorf("its location takes a load of %d bytes", size)
}

// cast makes x of the base type at off in the unit; 0 is the generic type.
func (m *exprBuilder) cast(x *Expr, off uint64) error {
	if off == 0 {
		m.push(typed(x, 8, true))
		return nil
	}
	d, ok := m.u.die(m.u.off + uint32(off))
	if !ok || d.tag != dwarf.TagBaseType {
		return errDWARF
	}
	size, _ := d.number(dwarf.AttrByteSize)
	encoding, _ := d.number(dwarf.AttrEncoding)
	switch {
	case encoding == encFloat || size > 8:
		return errors.New("its location takes a type that scripts do not have")
	case size == 1 || size == 2 || size == 4 || size == 8:
		m.push(typed(x, int64(size), encoding == encSigned || encoding == encSignedChar))
	default:
		return errDWARF
	}
	return nil
}
