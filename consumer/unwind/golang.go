// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import "gostap/internal/gopclntab"

// goFrame adds the rows of a Go function, by the stack depths in .gopclntab. A function with a frame saves its caller's frame
// pointer directly below the return address.
func (b *builder) goFrame(f *gopclntab.Frame) error {
	begin, inCode := fileOffset(b.code, f.Addr)
	if !inCode || f.Size == 0 || uint64(begin)+f.Size > 1<<32-1 {
		return nil
	}
	rows, injected := f.Rows, b.injected[f.Addr]
	b.pieces = append(b.pieces, piece{f.Addr, func() error {
		if f.Top {
			rows = []gopclntab.FrameRow{{Addr: f.Addr}}
		}
		for _, row := range rows {
			if err := b.add(begin+uint32(row.Addr-f.Addr), goRule(f, row.Depth, injected)); err != nil {
				return err
			}
		}
		return b.add(begin+uint32(f.Size), Rule{})
	}})
	return nil
}

func goRule(f *gopclntab.Frame, depth int32, injected bool) Rule {
	switch {
	case f.Top:
		return Rule{Flags: FlagEnd}
	case f.Writes || depth < 0:
		return Rule{}
	}
	r := Rule{CFA: CFARegister, Register: rsp, Offset: depth + 8, RAFrom: FromCFA, RA: -8, SavedFrom: FromCFA}
	if depth > 0 {
		i := savedIndex[rbp] - 1
		r.Saved, r.At[i] = 1<<i, -16
	}
	if injected {
		r.Flags = FlagSignal
	}
	return r
}
