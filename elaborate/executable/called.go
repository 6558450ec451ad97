// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/go-delve/delve/pkg/dwarf/regnum"
)

// Called reports whether the code at addr, as linked, is entered by a call, so that the return address is on top of the
// stack. It is not where a program begins (argc is there), nor where a signal's handler returns to or a symbol is
// resolved lazily: call frame information tells. Without any it is taken to be.
func (f *File) Called(addr uint64) (called bool) {
	if addr == f.elf.Entry && f.elf.Entry != 0 {
		return false
	}
	defer func() {
		if recover() != nil { // Delve's reader of frames, at truncated data
			called = true
		}
	}()
	entry, err := f.frames().FDEForPC(addr)
	if err != nil {
		return true
	}
	rules, err := entry.EstablishFrame(addr)
	if err != nil {
		return true
	}
	ra, ok := rules.Regs[rules.RetAddrReg]
	return ok && ra.Rule == frame.RuleOffset && ra.Offset == -8 &&
		rules.CFA.Rule == frame.RuleCFA && rules.CFA.Reg == regnum.AMD64_Rsp && rules.CFA.Offset == 8
}

// readFrames returns the entries of .eh_frame by address; those before what can't be read are lost, too.
func (f *File) readFrames() (list frame.FrameDescriptionEntries) {
	defer func() {
		if recover() != nil {
			list = nil
		}
	}()
	s, data, err := f.section(".eh_frame")
	if s == nil || err != nil {
		return nil
	}
	if list, err = frame.Parse(data, binary.LittleEndian, 0, 8, s.Addr); err != nil {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *frame.FrameDescriptionEntry) int { return cmp.Compare(a.Begin(), b.Begin()) })
	return list
}
