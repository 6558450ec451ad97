// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"

	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func init() {
	register(absolute, "kernel.statement(number).absolute", "kprobe.statement(number).absolute")
}

// absolute builds kernel.statement(ADDRESS).absolute: an instruction of the
// kernel itself. The address is where the instruction is in the running kernel;
// if the target is another kernel, where it is linked.
func absolute(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	addr := uint64(m.number("statement", 0))
	if !s.target.Guru {
		d := m.errorf("statement(%#x).absolute: an address may be probed in guru mode only", addr)
		d.Hint = "run the script with -g"
		return nil, d
	}
	k, err := s.target.Kernel()
	if err != nil {
		s.broken = s.target.complain(m.at(), err)
		return nil, s.broken
	}
	slide, err := k.Slide()
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	f, ok := k.At(addr - slide)
	if !ok {
		return nil, m.errorf("%#x is in no function of kernel %s", addr, k.Release)
	}
	offset := int64(addr - slide - f.Addr)
	if f.Refusal != symbols.Probeable && !f.Refusal.OnlyEntry() {
		return nil, m.errorf("%s can't be probed: %s %s", spot(&f, offset), f.Name, f.Refusal)
	}
	code, err := s.target.code()
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	why := code.refusal(f.Addr, addr-slide, false)
	if why == "" {
		why = s.target.jumpOver(&anchor{Func: f}, addr-slide)
	}
	if why != "" {
		return nil, m.errorf("%s can't be probed: %s", spot(&f, offset), why)
	}
	root := m.point.Components[0].Name
	return []*Place{{Point: &program.Point{
		At:     m.at(),
		Family: "kprobe",
		Name:   fmt.Sprintf("%s.statement(%#x).absolute", root, addr),
		Func:   f.Base(),
		Symbol: f.Name,
		Offset: offset,

		SymbolOffset: f.Offset,
	}}}, nil
}

// spot spells a place in a function: vfs_read+0x12.
func spot(f *symbols.Func, offset int64) string { return fmt.Sprintf("%s+%#x", f.Name, offset) }
