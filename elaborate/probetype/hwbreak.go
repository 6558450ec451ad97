// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"math/bits"

	"gostap/elaborate/probepoint"
	"gostap/elaborate/symbols"
	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	register(hardwareBreakpoint,
		"kernel.data(string).write",
		"kernel.data(string).rw",
		"kernel.data(number).write",
		"kernel.data(number).rw",
		"kernel.data(number).length(number).write",
		"kernel.data(number).length(number).rw")
}

// hardwareBreakpoint builds kernel.data: the processor watches some bytes of
// the kernel's memory, and the probe is hit after an instruction that has
// written, or accessed, one of them.
func hardwareBreakpoint(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	point := &program.Point{At: m.At, Family: "hwbreak", Name: probepoint.Spell(m.ProbePoint)}
	var length int64
	var d *syntax.Diagnostic
	if m.Text("data") != "" {
		length, d = c.watchSymbol(m, point)
	} else {
		length, d = watchAddress(m, point)
	}
	if d != nil {
		return nil, d
	}
	point.Args[1] = length
	if m.Has("rw") {
		point.Args[1] = -length
	}
	if c.watched++; c.watched > arch.X86_64.DebugRegisters {
		return nil, m.Errorf("more than %d kernel.data probes: the processor has no more debug registers", arch.X86_64.DebugRegisters)
	}
	return []*ProbeSite{{Point: point}}, nil
}

// watchSymbol returns how many bytes of the variable can be watched: all, if
// they are no more than what a debug register takes.
func (c *Context) watchSymbol(m match, point *program.Point) (int64, *syntax.Diagnostic) {
	name := m.Text("data")
	k, err := c.Target.Kernel()
	if err != nil {
		c.Broken = c.Target.Complain(m.At, err)
		return 0, c.Broken
	}
	list, err := k.Objects(name)
	if err != nil {
		return 0, c.Target.Complain(m.At, err)
	}
	switch {
	case len(list) == 0 && len(k.Lookup(name)) > 0:
		d := m.Errorf("%q is a function: kernel.data watches variables", name)
		d.Hint = fmt.Sprintf("kernel.function(%q) probes it", name)
		return 0, d
	case len(list) == 0:
		d := m.Errorf("kernel %s has no variable %q with a place of its own", k.Release, name)
		if near := k.NearestObjects(name, 3); len(near) > 0 {
			d.Hint = suggest.DidYouMean(near)
		}
		return 0, d
	case len(list) > 1:
		return 0, m.Errorf("the kernel has %d variables %q, and its symbols do not say which is which; kernel.data(ADDRESS) watches one of them", len(list), name)
	case list[0].PerCPU:
		return 0, m.Errorf("%q is a per-CPU variable: each CPU has its own, at addresses that are known only when the kernel runs", name)
	case list[0].Init():
		return 0, m.Errorf("%q is initialization data, which is gone once the kernel has booted", name)
	}
	point.Symbol, point.SymbolOffset = name, list[0].Offset
	return watchable(&list[0]), nil
}

// watchable returns the largest length that fits into the object: a power of
// two that its address is a multiple of.
func watchable(o *symbols.Object) int64 {
	length := int64(arch.X86_64.WatchedBytes)
	for length > int64(o.Size) || o.Offset%length != 0 {
		length /= 2
	}
	return length
}

// watchAddress checks an address and a length that the script gives; without a
// length it is one byte.
func watchAddress(m match, point *program.Point) (int64, *syntax.Diagnostic) {
	addr, length := m.Number("data", 0), m.Number("length", 1)
	point.Args[0] = addr
	point.Name = fmt.Sprintf("kernel.data(%#x)", uint64(addr))
	if m.Has("length") {
		point.Name += fmt.Sprintf(".length(%d)", length)
	}
	if m.Has("rw") {
		point.Name += ".rw"
	} else {
		point.Name += ".write"
	}
	switch {
	case addr >= 0:
		return 0, m.Errorf("%#x is no address of the kernel", addr)
	case length < 1 || length > arch.X86_64.WatchedBytes:
		return 0, m.Errorf("length(%d): a debug register watches 1, 2, 4 or 8 bytes", length)
	}
	// The next power of two up, as long as the bytes stay within a multiple of it.
	wide := int64(1) << bits.Len64(uint64(length-1))
	for wide <= arch.X86_64.WatchedBytes && addr&^(wide-1) != (addr+length-1)&^(wide-1) {
		wide *= 2
	}
	if wide > arch.X86_64.WatchedBytes {
		return 0, m.Errorf("%d bytes at %#x lie across a multiple of 8: a debug register can't watch them all", length, uint64(addr))
	}
	point.Args[0] = addr &^ (wide - 1)
	return wide, nil
}
