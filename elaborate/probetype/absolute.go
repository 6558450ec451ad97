// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

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
func absolute(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	addr := uint64(m.Number("statement", 0))
	if !c.Target.Guru {
		d := m.Errorf("statement(%#x).absolute: an address may be probed in guru mode only", addr)
		d.Hint = "run the script with -g"
		return nil, d
	}
	k, err := c.Target.Kernel()
	if err != nil {
		c.Broken = c.Target.Complain(m.At, err)
		return nil, c.Broken
	}
	slide, err := k.Slide()
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	f, ok := k.At(addr - slide)
	if !ok {
		return nil, m.Errorf("%#x is in no function of kernel %s", addr, k.Release)
	}
	offset := int64(addr - slide - f.Addr)
	if f.Refusal != symbols.Probeable && !f.Refusal.OnlyEntry() {
		return nil, m.Errorf("%s can't be probed: %s %s", spot(&f, offset), f.Name, f.Refusal)
	}
	why, err := c.Target.KernelRefusal(f, addr-slide)
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	if why != "" {
		return nil, m.Errorf("%s can't be probed: %s", spot(&f, offset), why)
	}
	root := m.Root()
	return []*ProbeSite{{Point: &program.Point{
		At:     m.At,
		Family: "kprobe",
		Name:   fmt.Sprintf("%s.statement(%#x).absolute", root, addr),
		Func:   f.Base(),
		Site:   program.Site{Symbol: f.Name, Offset: offset, SymbolOffset: f.Offset},
	}}}, nil
}

// spot spells an address in a function: vfs_read+0x12.
func spot(f *symbols.Func, offset int64) string { return fmt.Sprintf("%s+%#x", f.Name, offset) }
