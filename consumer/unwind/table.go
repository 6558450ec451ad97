// SPDX-License-Identifier: GPL-2.0-or-later

// Package unwind makes the tables by which the kernel side unwinds the stacks of
// programs and libraries, from their call frame information (.eh_frame,
// .debug_frame; elf.go, machine.go) or Go's .gopclntab (golang.go).
// runtime-c/kernel/userstack.c uses the tables, protocol.h describes them.
package unwind

import (
	"cmp"
	"slices"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/pkg/errors"
)

// A Table has, for each instruction of a file, the rule by which the caller is found.
type Table struct {
	// Offsets are the offsets in the file from which another rule is valid,
	// ascending; RuleOf has the indices of these rules.
	Offsets []uint32
	RuleOf  []uint16
	Rules   []Rule // the first is for unknown code
}

// A Rule is struct gs_unwind_rule: how the caller's registers are found. Registers
// have DWARF's numbers, offsets are in bytes.
type Rule struct {
	CFA       uint8    // how the canonical frame address is found: CFA*
	Register  uint8    // the register in it
	RAFrom    uint8    // the base of RA: a register's number, or FromCFA
	SavedFrom uint8    // the base of At
	Saved     uint8    // a bit for each of SavedRegisters that is saved, at At
	Lost      uint8    // a bit for each whose value is lost
	Flags     uint8    // Flag*
	_         uint8    // 0
	Offset    int32    // is added to Register
	Add       int32    // is added to the word there; CFAPLT: the lowest byte of an entry at which the push is done
	RA        int32    // where the return address is
	At        [6]int32 // where SavedRegisters are
}

// What Rule.CFA can be.
const (
	CFANone     = 0 // unknown
	CFARegister = 1 // Register + Offset
	CFADeref    = 2 // the word at Register + Offset, and Add
	CFAPLT      = 3 // Register + Offset, and 8 more in the last bytes of an entry of 16, from Add on
	CFACgo      = 4 // Add above the goroutine's stack pointer, of which Register + Offset is the address of what cgo keeps
)

// Flags of a rule.
const (
	FlagEnd    = 1 // there is no caller
	FlagSignal = 2 // a signal's frame, or an injected call's: the caller was interrupted at any instruction, not at a call
)

// FromCFA is the canonical frame address, in place of a register's number.
const FromCFA = 0xff

// The registers of SavedRegisters by DWARF's numbers: rbx, rbp, r12 to r15.
const (
	rbx, rbp, rsp, r12, r15 = 3, 6, 7, 12, 15
	registers               = 16
	ra                      = 16
)

var savedIndex = [registers]int8{rbx: 1, rbp: 2, 12: 3, 13: 4, 14: 5, 15: 6} // index in At, from 1; 0: not saved

// SavedRegisters are the registers that functions preserve.
var SavedRegisters = [6]uint8{rbx, rbp, 12, 13, 14, 15}

// maxRows bounds a table: the largest programs have some ten million.
const maxRows = 1 << 25

// A Segment is a piece of code of a file: from Addr, as linked, at Offset of the file.
type Segment struct{ Addr, Offset, Size uint64 }

// fileOffset returns the offset in the file of the code that is linked at addr.
func fileOffset(code []Segment, addr uint64) (uint32, bool) {
	for _, s := range code {
		if at := addr - s.Addr; at < s.Size && s.Offset+at < 1<<32 {
			return uint32(s.Offset + at), true
		}
	}
	return 0, false
}

// A builder builds a table.
type builder struct {
	table Table
	index map[Rule]uint16
	code  []Segment
	// injected are functions whose calls a signal handler injects.
	injected map[uint64]bool
	pieces   []piece
}

// A piece is the rows of a function.
type piece struct {
	begin uint64
	add   func() error
}

func newBuilder(code []Segment, injected map[uint64]bool) *builder {
	code = slices.Clone(code)
	slices.SortFunc(code, func(a, b Segment) int { return cmp.Compare(a.Addr, b.Addr) })
	return &builder{table: Table{Rules: []Rule{{}}}, index: map[Rule]uint16{{}: 0}, code: code, injected: injected}
}

// add appends a row. Of two rows at one offset the later is used; rows with the same rule as before are left out.
func (b *builder) add(at uint32, r Rule) error {
	t := &b.table
	i, known := b.index[r]
	if !known {
		if len(t.Rules) == 1<<16 {
			return errors.New("more than 65,536 different rules")
		}
		i = uint16(len(t.Rules))
		b.index[r] = i
		t.Rules = append(t.Rules, r)
	}
	n := len(t.Offsets)
	switch {
	case n > 0 && t.Offsets[n-1] > at:
		return nil // of overlapping entries, the one that begins first is used
	case n > 0 && t.Offsets[n-1] == at:
		t.RuleOf[n-1] = i
		return nil
	case n > 0 && t.RuleOf[n-1] == i:
		return nil
	case n == maxRows:
		return errors.New("more than 33 million rows")
	}
	t.Offsets = append(t.Offsets, at)
	t.RuleOf = append(t.RuleOf, i)
	return nil
}

// entry appends the rows of a function. Unsupported rows have no rule.
func (b *builder) entry(e *frame.FrameDescriptionEntry) error {
	begin, inCode := fileOffset(b.code, e.Begin())
	size := e.End() - e.Begin()
	if !inCode || size == 0 || uint64(begin)+size > 1<<32-1 {
		return nil
	}
	end := begin + uint32(size)
	m := machine{cie: e.CIE, begin: e.Begin(), end: e.End(), injected: b.injected[e.Begin()], row: func(addr uint64, r Rule) error {
		return b.add(begin+uint32(addr-e.Begin()), r)
	}}
	if err := m.run(e.Instructions); err != nil {
		return err
	}
	return b.add(end, Rule{})
}

// build makes the table of the pieces.
func (b *builder) build() (*Table, error) {
	slices.SortStableFunc(b.pieces, func(a, b piece) int { return cmp.Compare(a.begin, b.begin) })
	for _, p := range b.pieces {
		if err := p.add(); err != nil {
			return nil, err
		}
	}
	return &b.table, nil
}

// replace makes r the rule of the code from offset begin up to end.
func (t *Table) replace(begin, end uint32, r Rule) {
	behind := t.At(end)
	i, _ := slices.BinarySearch(t.Offsets, begin)
	j, _ := slices.BinarySearch(t.Offsets, end+1)
	rules := uint16(len(t.Rules))
	t.Rules = append(t.Rules, r, behind)
	t.Offsets = slices.Replace(t.Offsets, i, j, begin, end)
	t.RuleOf = slices.Replace(t.RuleOf, i, j, rules, rules+1)
}

// At returns the rule for an offset of the file.
func (t *Table) At(offset uint32) Rule {
	i, found := slices.BinarySearch(t.Offsets, offset)
	if !found {
		i--
	}
	if i < 0 {
		return Rule{}
	}
	return t.Rules[t.RuleOf[i]]
}
