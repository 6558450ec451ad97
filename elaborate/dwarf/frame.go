// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/go-delve/delve/pkg/dwarf/regnum"
	"github.com/pkg/errors"
)

// A frameEntry locates the rules for a piece of code in .debug_frame.
type frameEntry struct {
	Range
	at, cie uint32
}

// cieMark is the value by which a CIE differs from an entry, which has a reference to its CIE there.
const cieMark = 0xffffffff

// frameEntries returns the entries of .debug_frame by address. They are not
// parsed: the kernel has fifty thousand, of which a script needs a few.
func (f *File) frameEntries() []frameEntry {
	f.frames.Do(func() {
		for b := (buf{data: f.frame}); b.left() > 0; {
			at := b.at
			rest, dwarf64 := b.unit()
			if b.bad || dwarf64 {
				break
			}
			if cie := rest.u32(); cie != cieMark {
				low := rest.u64()
				if size := rest.u64(); !rest.bad {
					f.entries = append(f.entries, frameEntry{Range{low, low + size}, uint32(at), cie})
				}
			}
		}
		slices.SortStableFunc(f.entries, func(a, b frameEntry) int { return cmp.Compare(a.Low, b.Low) })
	})
	return f.entries
}

// frameAt returns the rules at pc, of .debug_frame or else of .eh_frame.
func (f *File) frameAt(pc uint64) (*frame.FrameDescriptionEntry, error) {
	entries := f.frameEntries()
	i := sort.Search(len(entries), func(i int) bool { return entries[i].Low > pc })
	if i > 0 && entries[i-1].Contains(pc) {
		// A section of these two only, the CIE first.
		cie, entry := f.frameBytes(entries[i-1].cie), bytes.Clone(f.frameBytes(entries[i-1].at))
		if len(cie) < 8 || len(entry) < 8 {
			return nil, errDWARF
		}
		le.PutUint32(entry[4:], 0)
		list, err := frame.Parse(append(bytes.Clone(cie), entry...), binary.LittleEndian, 0, 8, 0)
		if err != nil {
			return nil, err
		}
		return list.FDEForPC(pc)
	}
	if len(f.ehFrame) == 0 {
		return nil, errors.New("the debuginfo does not say where the function's frame is here")
	}
	list, err := f.ehFrameEntries()
	if err != nil {
		return nil, err
	}
	return list.FDEForPC(pc)
}

// ehFrameEntries returns the entries of .eh_frame by address. Their pointers are encoded
// as their CIE says, so that the section is parsed as a whole, once.
func (f *File) ehFrameEntries() (frame.FrameDescriptionEntries, error) {
	f.ehFrames.Do(func() {
		defer catchFramePanic(&f.ehFrameErr)
		f.ehEntries, f.ehFrameErr = frame.Parse(f.ehFrame, binary.LittleEndian, 0, 8, f.ehFrameAddr)
		slices.SortStableFunc(f.ehEntries, func(a, b *frame.FrameDescriptionEntry) int { return cmp.Compare(a.Begin(), b.Begin()) })
	})
	return f.ehEntries, f.ehFrameErr
}

// takeFrames uses the .eh_frame of the program at path; f is the program's debuginfo.
func (f *File) takeFrames(path string) error {
	program, err := openMapped(path, "")
	if err != nil {
		return err
	}
	f.ehFrame, f.ehFrameAddr = program.ehFrame, program.ehFrameAddr
	return nil
}

// catchFramePanic turns a panic of Delve's reader of frames, at truncated data, into an error.
func catchFramePanic(err *error) {
	if recover() != nil {
		*err = errDWARF
	}
}

// frameBytes returns the entry at an offset of .debug_frame, nil if there is none.
func (f *File) frameBytes(at uint32) []byte {
	b := bufAt(f.frame, uint64(at))
	if _, dwarf64 := b.unit(); b.bad || dwarf64 {
		return nil
	}
	return f.frame[at:b.at]
}

// cfaRule returns the rule for the canonical frame address at pc.
func (f *File) cfaRule(pc uint64) (rule frame.DWRule, err error) {
	defer catchFramePanic(&err)
	entry, err := f.frameAt(pc)
	if err != nil {
		return rule, err
	}
	rows, err := entry.EstablishFrame(pc)
	if err != nil {
		return rule, err
	}
	return rows.CFA, nil
}

// cfa returns the canonical frame address at pc: the stack pointer before the call of
// the function.
func (u *unit) cfa(pc uint64) (*Expr, error) {
	rule, err := u.f.cfaRule(pc)
	if err != nil {
		return nil, err
	}
	switch rule.Rule {
	case frame.RuleCFA:
		return add(&Expr{Op: OpRegister, N: int64(rule.Reg)}, rule.Offset), nil
	case frame.RuleExpression, frame.RuleValExpression:
		m := exprBuilder{u: u, pc: pc, inFrame: true}
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

// FrameSize returns the distance between the stack pointer at pc, an address of in's code,
// and the stack pointer before the call of its function; false if it is not
// constant.
func (i *Info) FrameSize(in Instance, pc uint64) (int64, bool) {
	d, err := i.dieOf(in)
	if err != nil {
		return 0, false
	}
	cfa, err := d.u.cfa(pc)
	switch {
	case err != nil:
	case cfa.Op == OpRegister && cfa.N == regnum.AMD64_Rsp:
		return 0, true
	case cfa.Op == OpBinary && cfa.Name == "+" && cfa.X.Op == OpRegister && cfa.X.N == regnum.AMD64_Rsp && cfa.Y.Op == OpConst:
		return cfa.Y.N, true
	}
	return 0, false
}
