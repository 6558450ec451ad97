// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"math/bits"

	"gostap/elaborate/symbols"
	"gostap/translator/program"
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

// x86-64's debug registers.
const (
	debugRegisters = 4
	mostWatched    = 8 // bytes, for each
)

// hardwareBreakpoint builds kernel.data: the processor watches some bytes of
// the kernel's memory, and the probe runs behind the instruction that has
// written, or read or written, one of them.
func hardwareBreakpoint(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	point := &program.Point{At: m.at(), Family: "hwbreak", Name: spell(m.point)}
	var length int64
	var d *syntax.Diagnostic
	if m.text("data") != "" {
		length, d = s.watchSymbol(m, point)
	} else {
		length, d = watchAddress(m, point)
	}
	if d != nil {
		return nil, d
	}
	point.Args[1] = length
	if m.has("rw") {
		point.Args[1] = -length
	}
	if s.watched++; s.watched > debugRegisters {
		return nil, m.errorf("more than %d kernel.data probes: the processor has no more debug registers", debugRegisters)
	}
	return []*Place{{Point: point}}, nil
}

// watchSymbol returns how many bytes of the variable can be watched: all, if
// they are no more than what a debug register takes.
func (s *session) watchSymbol(m match, point *program.Point) (int64, *syntax.Diagnostic) {
	name := m.text("data")
	k, err := s.target.Kernel()
	if err != nil {
		s.broken = s.target.complain(m.at(), err)
		return 0, s.broken
	}
	list, err := k.Objects(name)
	if err != nil {
		return 0, s.target.complain(m.at(), err)
	}
	switch {
	case len(list) == 0 && len(k.Lookup(name)) > 0:
		d := m.errorf("%q is a function: kernel.data watches variables", name)
		d.Hint = fmt.Sprintf("kernel.function(%q) probes it", name)
		return 0, d
	case len(list) == 0:
		d := m.errorf("kernel %s has no variable %q with a place of its own", k.Release, name)
		if near := k.NearestObjects(name, 3); len(near) > 0 {
			d.Hint = didYouMean(near)
		}
		return 0, d
	case len(list) > 1:
		return 0, m.errorf("the kernel has %d variables %q, and its symbols do not say which is which; kernel.data(ADDRESS) watches one of them", len(list), name)
	case list[0].PerCPU:
		return 0, m.errorf("%q is a per-CPU variable: each CPU has its own, at addresses that are known only when the kernel runs", name)
	case list[0].Init():
		return 0, m.errorf("%q is initialization data, which is gone once the kernel has booted", name)
	}
	point.Symbol, point.SymbolOffset = name, list[0].Offset
	return watchable(&list[0]), nil
}

// watchable returns the largest length that fits into the object: a power of
// two that its address is a multiple of.
func watchable(o *symbols.Object) int64 {
	length := int64(mostWatched)
	for length > int64(o.Size) || o.Offset%length != 0 {
		length /= 2
	}
	return length
}

// watchAddress checks an address and a length that the script gives; without a
// length it is one byte.
func watchAddress(m match, point *program.Point) (int64, *syntax.Diagnostic) {
	addr, length := m.number("data", 0), m.number("length", 1)
	point.Args[0] = addr
	point.Name = fmt.Sprintf("kernel.data(%#x)", uint64(addr))
	if m.has("length") {
		point.Name += fmt.Sprintf(".length(%d)", length)
	}
	if m.has("rw") {
		point.Name += ".rw"
	} else {
		point.Name += ".write"
	}
	switch {
	case addr >= 0:
		return 0, m.errorf("%#x is no address of the kernel", addr)
	case length < 1 || length > mostWatched:
		return 0, m.errorf("length(%d): a debug register watches 1, 2, 4 or 8 bytes", length)
	}
	// The next power of two up, as long as the bytes stay within a multiple of it.
	wide := int64(1) << bits.Len64(uint64(length-1))
	for wide <= mostWatched && addr&^(wide-1) != (addr+length-1)&^(wide-1) {
		wide *= 2
	}
	if wide > mostWatched {
		return 0, m.errorf("%d bytes at %#x lie across a multiple of 8: a debug register can't watch them all", length, uint64(addr))
	}
	point.Args[0] = addr &^ (wide - 1)
	return wide, nil
}
