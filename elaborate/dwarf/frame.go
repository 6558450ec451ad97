// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/pkg/errors"
)

// frameEntries returns what .debug_frame says, or else .eh_frame, by address.
func (f *File) frameEntries() (frame.FrameDescriptionEntries, error) {
	f.frames.Do(func() {
		// The reader panics on data that breaks off.
		defer func() {
			if recover() != nil {
				f.fdes, f.fdesErr = nil, errDWARF
			}
		}()
		if len(f.frame) > 0 {
			f.fdes, f.fdesErr = frame.Parse(f.frame, binary.LittleEndian, 0, 8, 0)
		} else if len(f.ehFrame) > 0 {
			f.fdes, f.fdesErr = frame.Parse(f.ehFrame, binary.LittleEndian, 0, 8, f.ehFrameAddr)
		}
		slices.SortStableFunc(f.fdes, func(a, b *frame.FrameDescriptionEntry) int { return cmp.Compare(a.Begin(), b.Begin()) })
	})
	return f.fdes, f.fdesErr
}

// cfa returns the canonical frame address at pc: what the stack pointer was
// before the call of the function.
func (u *unit) cfa(pc uint64) (x *Expr, err error) {
	defer func() {
		if recover() != nil {
			x, err = nil, errDWARF
		}
	}()
	entries, err := u.f.frameEntries()
	if err != nil {
		return nil, err
	}
	entry, err := entries.FDEForPC(pc)
	if err != nil {
		return nil, errors.New("the debuginfo does not say where the function's frame is here")
	}
	rows, err := entry.EstablishFrame(pc)
	if err != nil {
		return nil, err
	}
	switch rule := rows.CFA; rule.Rule {
	case frame.RuleCFA:
		return add(&Expr{Op: OpRegister, N: int64(rule.Reg)}, rule.Offset), nil
	case frame.RuleExpression, frame.RuleValExpression:
		m := machine{u: u, pc: pc, inFrame: true}
		loc, err := m.location(rule.Expression)
		if err != nil {
			return nil, err
		}
		if len(loc.Pieces) == 1 && loc.Pieces[0].Kind == InMemory {
			return loc.Pieces[0].X, nil
		}
	}
	return nil, errors.New("the function's frame is in a place that is not understood")
}
