// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"slices"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/go-delve/delve/pkg/dwarf/regnum"
	"github.com/pkg/errors"
)

// Called reports whether the code at addr, as linked, is entered by a call, so that the return address is on top of the
// stack. It is not where a program begins (argc is there), nor where a signal's handler returns to or a symbol is
// resolved lazily: call frame information tells. Without any it is taken to be.
func (f *File) Called(addr uint64) bool {
	if addr == f.elf.Entry && f.elf.Entry != 0 {
		return false
	}
	rules, err := f.rules(addr)
	return err != nil || atEntry(rules)
}

// Framed reports whether, at an instruction at addr, as linked, a function has something of its own on the stack, so that a jump
// there, or from there, is one within the function. Without call frame information it is taken to have nothing.
func (f *File) Framed(addr uint64) bool {
	rules, err := f.rules(addr)
	return err == nil && rules.CFA.Rule == frame.RuleCFA && !atEntry(rules)
}

// atEntry reports whether the return address is on top of the stack, as at the entry of a function.
func atEntry(rules *frame.FrameContext) bool {
	ra, ok := rules.Regs[rules.RetAddrReg]
	return ok && ra.Rule == frame.RuleOffset && ra.Offset == -8 &&
		rules.CFA.Rule == frame.RuleCFA && rules.CFA.Reg == regnum.AMD64_Rsp && rules.CFA.Offset == 8
}

// rules returns the rules for the frame at addr, as linked.
func (f *File) rules(addr uint64) (rules *frame.FrameContext, err error) {
	defer func() {
		if recover() != nil { // Delve's reader of frames, at truncated data
			err = errors.New("damaged .eh_frame")
		}
	}()
	entry, err := f.frames().FDEForPC(addr)
	if err != nil {
		return nil, err
	}
	return entry.EstablishFrame(addr)
}

// Described returns the bounds, as linked, of the code around addr that one entry of call frame information describes: a function, or a part
// of one.
func (f *File) Described(addr uint64) (low, high uint64, ok bool) {
	entry, err := f.frames().FDEForPC(addr)
	if err != nil {
		return 0, 0, false
	}
	return entry.Begin(), entry.End(), true
}

// Unwinds reports whether exceptions of C++, or panics of Rust, may pass through the file's functions: whether it refers to what tells
// the unwinder about them. A program of Rust that is stripped does not tell.
func (f *File) Unwinds() bool {
	dynamic, _ := f.elf.DynamicSymbols()
	static, _ := f.elf.Symbols()
	return slices.ContainsFunc(append(dynamic, static...), func(s elf.Symbol) bool {
		return s.Name == "__gxx_personality_v0" || s.Name == "rust_eh_personality"
	})
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
