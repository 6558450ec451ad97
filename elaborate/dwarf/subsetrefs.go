// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"

	"github.com/go-delve/delve/pkg/dwarf/op"
)

// operands are the steps over the operands of operations, for those that have
// operands.
var operands = map[op.Opcode][]step{
	op.DW_OP_const1u: {1}, op.DW_OP_const1s: {1}, op.DW_OP_const2u: {2}, op.DW_OP_const2s: {2},
	op.DW_OP_const4u: {4}, op.DW_OP_const4s: {4}, op.DW_OP_const8u: {8}, op.DW_OP_const8s: {8},
	op.DW_OP_constu: {stepLEB}, op.DW_OP_consts: {stepLEB}, op.DW_OP_plus_uconst: {stepLEB},
	op.DW_OP_pick: {1}, op.DW_OP_bra: {2}, op.DW_OP_skip: {2}, op.DW_OP_deref_size: {1}, op.DW_OP_xderef_size: {1},
	op.DW_OP_regx: {stepLEB}, op.DW_OP_fbreg: {stepLEB}, op.DW_OP_bregx: {stepLEB, stepLEB},
	op.DW_OP_piece: {stepLEB}, op.DW_OP_bit_piece: {stepLEB, stepLEB}, op.DW_OP_implicit_value: {stepBlock},
	op.DW_OP_call2: {2}, op.DW_OP_call4: {4},
	opAddrx: {stepLEB}, opConstx: {stepLEB}, opGNUAddrIndex: {stepLEB}, opGNUConstIndex: {stepLEB}, opEntryValue: {stepBlock}, opGNUEntryValue: {stepBlock},
	opConstType: {stepLEB, stepBlock1}, opGNUConstType: {stepLEB, stepBlock1},
	opRegvalType: {stepLEB, stepLEB}, opGNURegvalType: {stepLEB, stepLEB},
	opDerefType: {1, stepLEB}, opGNUDerefType: {1, stepLEB}, opConvert: {stepLEB}, opGNUConvert: {stepLEB},
	opReinterpret: {stepLEB}, opGNUReinterpret: {stepLEB}, opGNUParameterRef: {4},
}

// expressions records the references in the expressions of an attribute of d, whose copy
// ends at end.
func (t *subsetWriter) expressions(d die, spec attrSpec, v value, in *section, end uint64) error {
	u := d.u
	if spec.form == formExprloc || u.version < 4 && v.b != nil && spec.name == dwarf.AttrLocation {
		t.references(u, v.b, in, end-uint64(len(v.b)))
		return nil
	}
	if spec.name != dwarf.AttrLocation || v.b != nil {
		return nil
	}
	list, err := d.locations(dwarf.AttrLocation)
	if err != nil {
		return err
	}
	for _, e := range list {
		if u.version < 5 {
			at, err := t.oldList(u, &t.loc, &t.f.loc, v.u, true)
			if err != nil {
				return err
			}
			t.references(u, e.expr, &t.loc, at+e.at-v.u)
			continue
		}
		at, err := t.part(&t.loclists, &t.f.loclists, e.at)
		if err != nil {
			return err
		}
		t.references(u, e.expr, &t.loclists, at)
	}
	return nil
}

// references records the references in an expression, whose copy is at to.
func (t *subsetWriter) references(u *unit, expr []byte, in *section, to uint64) {
	size := u.step(formRefAddr)
	for b := (buf{data: expr}); b.left() > 0 && !b.bad; {
		switch c := op.Opcode(b.u8()); c {
		case op.DW_OP_addr:
			b.take(uint64(u.addrSize))
		case op.DW_OP_call_ref, opImplicitPointer, opGNUImplicitPointer, opGNUVariableValue:
			at := to + uint64(b.at)
			if p := (buf{data: b.take(uint64(size))}); !b.bad {
				t.reference(in, at, int(size), p.uint(int(size)))
			}
			if c == opImplicitPointer || c == opGNUImplicitPointer {
				b.sleb()
			}
		default:
			u.skip(&b, operands[c])
		}
	}
}

// reference records a reference that is to be adjusted to the copy of a DIE.
func (t *subsetWriter) reference(in *section, at uint64, size int, to uint64) {
	t.refs = append(t.refs, unitRef{in, at, size, to})
	t.need(to)
}

// need records that the unit with a DIE is to be copied.
func (t *subsetWriter) need(die uint64) {
	t.f.dieAt(die) // makes f.offsets
	t.todo = append(t.todo, t.unitAt(die))
}
