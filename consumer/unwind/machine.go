// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/pkg/errors"
)

// A registerRule says where the caller's value of a register is (DWARF 5, 6.4.1).
type registerRule struct {
	kind ruleKind
	from uint8 // what n counts from
	n    int32
}

type ruleKind uint8

const (
	sameValue   ruleKind = iota // it is still in the register
	saved                       // it is in memory, at from + n
	undefined                   // it is lost
	unsupported                 // a rule that is not supported
)

// A row has the rules for the registers at one address.
type row struct {
	cfa  Rule                        // CFA, Register, Offset and Add
	regs [registers + 1]registerRule // with the return address
}

// A machine runs the instructions of call frame information (DWARF 5, 6.4.2).
type machine struct {
	cie        *frame.CommonInformationEntry
	begin, end uint64
	injected   bool                            // a signal handler injects calls of it
	row        func(addr uint64, r Rule) error // takes the rows, in order

	now, initial row
	at           uint64
	remembered   []row
}

// maxRemembered is how many states may be remembered at a time; compilers remember one or two.
const maxRemembered = 64

var errFrame = errors.New("damaged call frame information")

// run hands a function's rows to row.
func (m *machine) run(instructions []byte) error {
	m.at = m.begin
	// Rows of the common information entry's own instructions are not the function's.
	m.now.regs[ra] = registerRule{kind: undefined}
	if err := m.execute(m.cie.InitialInstructions, false); err != nil {
		return err
	}
	m.initial = m.now
	if err := m.execute(instructions, true); err != nil {
		return err
	}
	return m.emit()
}

func (m *machine) emit() error {
	if m.at >= m.end {
		return nil
	}
	return m.row(m.at, m.now.rule(m.signal()))
}

// signal reports whether the function's frame is a signal's or an injected call's: it was entered at any instruction.
func (m *machine) signal() bool {
	return m.injected || strings.ContainsRune(m.cie.Augmentation, 'S')
}

// advance moves on to a later address, which completes the current row.
func (m *machine) advance(delta uint64, rows bool) error {
	if !rows || delta == 0 {
		return nil
	}
	if err := m.emit(); err != nil {
		return err
	}
	if delta > m.end-m.begin {
		m.at = m.end
	} else {
		m.at = min(m.at+delta, m.end)
	}
	return nil
}

// offset returns n data units as bytes.
func (m *machine) offset(n int64) int32 {
	product := n * m.cie.DataAlignmentFactor
	if n != int64(int32(n)) || product != int64(int32(product)) {
		return math.MinInt32
	}
	return int32(product)
}

func (m *machine) set(reg uint64, p registerRule) {
	if reg <= ra {
		m.now.regs[reg] = p
	}
}

func (m *machine) execute(code []byte, rows bool) error {
	b := reader{code: code}
	for !b.bad && len(b.code) > 0 {
		if err := m.step(&b, rows); err != nil {
			return err
		}
	}
	if b.bad {
		return errFrame
	}
	return nil
}

// step runs an instruction.
func (m *machine) step(b *reader, rows bool) error {
	op := b.u8()
	low := uint64(op & 0x3f)
	switch op & 0xc0 {
	case frame.DW_CFA_advance_loc:
		return m.advance(low*m.cie.CodeAlignmentFactor, rows)
	case frame.DW_CFA_offset:
		m.set(low, registerRule{saved, FromCFA, m.offset(int64(b.uleb()))})
		return nil
	case frame.DW_CFA_restore:
		m.set(low, m.initial.regs[min(low, ra)])
		return nil
	}
	switch op {
	case frame.DW_CFA_nop:
	case frame.DW_CFA_advance_loc1:
		return m.advance(uint64(b.u8())*m.cie.CodeAlignmentFactor, rows)
	case frame.DW_CFA_advance_loc2:
		return m.advance(b.fixed(2)*m.cie.CodeAlignmentFactor, rows)
	case frame.DW_CFA_advance_loc4:
		return m.advance(b.fixed(4)*m.cie.CodeAlignmentFactor, rows)
	case frame.DW_CFA_remember_state:
		if len(m.remembered) == maxRemembered {
			return errFrame
		}
		m.remembered = append(m.remembered, m.now)
	case frame.DW_CFA_restore_state:
		last := len(m.remembered) - 1
		if last < 0 {
			return errFrame
		}
		m.now, m.remembered = m.remembered[last], m.remembered[:last]
	case frame.DW_CFA_GNU_args_size:
		b.uleb()
	case gnuWindowSave:
	default:
		if !m.define(op, b) && !m.setRule(op, b) {
			return errors.Errorf("call frame instruction %#x is not known", op)
		}
	}
	return nil
}

// gnuWindowSave is Sparc's, and Arm's for signed return addresses.
const gnuWindowSave = 0x2d

// define runs an instruction that defines the canonical frame address; it reports whether op is one.
func (m *machine) define(op byte, b *reader) bool {
	cfa := &m.now.cfa
	switch op {
	case frame.DW_CFA_def_cfa:
		*cfa = byRegister(b.uleb(), int64(b.uleb()))
	case frame.DW_CFA_def_cfa_sf:
		reg := b.uleb()
		*cfa = byRegister(reg, int64(m.offset(b.sleb())))
	case frame.DW_CFA_def_cfa_register:
		*cfa = byRegister(b.uleb(), int64(cfa.Offset))
	case frame.DW_CFA_def_cfa_offset:
		*cfa = byRegister(uint64(cfa.Register), int64(b.uleb()))
	case frame.DW_CFA_def_cfa_offset_sf:
		*cfa = byRegister(uint64(cfa.Register), int64(m.offset(b.sleb())))
	case frame.DW_CFA_def_cfa_expression:
		*cfa = cfaExpression(b.take(b.uleb()))
	default:
		return false
	}
	return true
}

func byRegister(reg uint64, offset int64) Rule {
	if reg >= registers || offset != int64(int32(offset)) {
		return Rule{}
	}
	return Rule{CFA: CFARegister, Register: uint8(reg), Offset: int32(offset)}
}

// setRule runs an instruction that sets a register's rule; it reports whether op is one.
func (m *machine) setRule(op byte, b *reader) bool {
	reg := b.uleb()
	switch op {
	case frame.DW_CFA_offset_extended:
		m.set(reg, registerRule{saved, FromCFA, m.offset(int64(b.uleb()))})
	case frame.DW_CFA_offset_extended_sf:
		m.set(reg, registerRule{saved, FromCFA, m.offset(b.sleb())})
	case frame.DW_CFA_restore_extended:
		m.set(reg, m.initial.regs[min(reg, ra)])
	case frame.DW_CFA_undefined:
		m.set(reg, registerRule{kind: undefined})
	case frame.DW_CFA_same_value:
		m.set(reg, registerRule{kind: sameValue})
	case frame.DW_CFA_expression:
		m.set(reg, ruleExpression(b.take(b.uleb())))
	case frame.DW_CFA_register:
		b.uleb()
		m.set(reg, registerRule{kind: unsupported})
	case frame.DW_CFA_val_offset:
		b.uleb()
		m.set(reg, registerRule{kind: unsupported})
	case frame.DW_CFA_val_offset_sf:
		b.sleb()
		m.set(reg, registerRule{kind: unsupported})
	case frame.DW_CFA_val_expression:
		b.take(b.uleb())
		m.set(reg, registerRule{kind: unsupported})
	default:
		return false
	}
	return true
}

// rule returns the row in the kernel side's form, in which all saved registers have the same base, as
// compilers write them. Registers with another base count as lost.
func (w *row) rule(signal bool) Rule {
	r := w.cfa
	ret := w.regs[ra]
	switch {
	case ret.kind == undefined:
		return Rule{Flags: FlagEnd}
	case r.CFA == CFANone || ret.kind != saved || ret.n == math.MinInt32:
		return Rule{}
	}
	r.RAFrom, r.RA, r.SavedFrom = ret.from, ret.n, FromCFA
	for _, n := range SavedRegisters {
		if p := w.regs[n]; p.kind == saved && p.from != FromCFA {
			r.SavedFrom = p.from
			break
		}
	}
	for i, n := range SavedRegisters {
		switch p := w.regs[n]; {
		case p.kind == sameValue:
		case p.kind == saved && p.from == r.SavedFrom && p.n != math.MinInt32:
			r.Saved |= 1 << i
			r.At[i] = p.n
		default:
			r.Lost |= 1 << i
		}
	}
	if signal {
		r.Flags |= FlagSignal
	}
	return r
}

// A reader reads from bytes that may end too soon.
type reader struct {
	code []byte
	bad  bool
}

func (b *reader) take(n uint64) []byte {
	if n > uint64(len(b.code)) {
		b.bad, b.code = true, nil
		return nil
	}
	taken := b.code[:n]
	b.code = b.code[n:]
	return taken
}

func (b *reader) u8() byte {
	if p := b.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (b *reader) fixed(n uint64) uint64 {
	p := b.take(n)
	switch len(p) {
	case 2:
		return uint64(binary.LittleEndian.Uint16(p))
	case 4:
		return uint64(binary.LittleEndian.Uint32(p))
	case 8:
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

func (b *reader) uleb() (n uint64) {
	for shift := 0; ; shift += 7 {
		c := b.u8()
		if shift < 64 {
			n |= uint64(c&0x7f) << shift
		}
		if c < 0x80 {
			return n
		}
	}
}

func (b *reader) sleb() (n int64) {
	for shift := 0; ; {
		c := b.u8()
		if shift < 64 {
			n |= int64(c&0x7f) << shift
		}
		if shift += 7; c < 0x80 {
			if shift < 64 && c&0x40 != 0 {
				n |= -1 << shift
			}
			return n
		}
	}
}
