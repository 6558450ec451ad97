// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// An Image is a file of machine code in which there can be probes.
type Image interface {
	ID() program.Image // as sites and expressions name it
	Name() string      // the module's name, "" for the kernel itself
	String() string    // as messages name it: "module fuse"
	Symbols() *symbols.Functions
	// Types returns the image's types, and those of the kernel besides.
	Types() (*btf.Spec, error)
	// Typed reports whether the file itself tells of its types.
	Typed() bool
	Debuginfo() *Debuginfo
	// Ftrace reports whether ftrace calls the probes at functions' entries, where it can.
	Ftrace() bool
	// User reports whether variables of the image are in user space.
	User() bool

	// locate returns the symbol that an address, as linked, counts from, and the distance.
	locate(info *dwarf.Info, addr uint64) (name string, offset int64, err error)
	variable(info *dwarf.Info, at syntax.Pos, addr uint64) (program.Expr, error)
	baseSymbol(info *dwarf.Info, in dwarf.Instance) (base BaseSymbol, why string, lost bool)
	refusal(info *dwarf.Info, in dwarf.Instance, a *BaseSymbol, addr uint64) string
}

// A Source is an image as its debuginfo describes it.
type Source struct {
	Image
	Info *dwarf.Info
}

// Locate returns the symbol that an address, as linked, counts from, and the distance in bytes.
func (s *Source) Locate(addr uint64) (name string, offset int64, err error) {
	return s.locate(s.Info, addr)
}

// Variable returns the address of a variable that is linked at addr; of a
// per-CPU variable, that of this CPU's part.
func (s *Source) Variable(at syntax.Pos, addr uint64) (program.Expr, error) {
	return s.variable(s.Info, at, addr)
}

// BaseSymbol returns the symbol that an instance's code counts from; why is set if
// it can't be probed, and lost if nobody knows what it is in.
func (s *Source) BaseSymbol(in dwarf.Instance) (base BaseSymbol, why string, lost bool) {
	return s.baseSymbol(s.Info, in)
}

// Refusal says why there can't be a kprobe at addr in an instance's code, ""
// if there can. Where the code is not at hand, the kernel itself refuses what
// it does not allow.
func (s *Source) Refusal(in dwarf.Instance, a *BaseSymbol, addr uint64) string {
	return s.refusal(s.Info, in, a, addr)
}

// A BaseSymbol is the symbol that probed code counts from.
type BaseSymbol struct {
	symbols.Func
	Image program.Image
}

// Site returns the site at an address, as linked, in code that counts from the symbol.
func (b *BaseSymbol) Site(addr uint64) program.Site {
	return program.Site{Image: b.Image, Symbol: b.Name, SymbolOffset: b.Offset, Offset: int64(addr - b.Addr)}
}

// ThisCPU returns the address of this CPU's part of a per-CPU variable:
// its address plus __per_cpu_offset[cpu()].
func ThisCPU(at syntax.Pos, addr program.Expr) program.Expr {
	entry := &program.Binary{At: at, Op: "+", X: &program.SymbolAddr{At: at, Symbol: "__per_cpu_offset"},
		Y: &program.Binary{At: at, Op: "*", X: &program.ScriptExpr{X: &syntax.CallExpr{At: at, Name: "cpu"}}, Y: &program.Number{At: at, Value: 8}}}
	return &program.Binary{At: at, Op: "+", X: addr, Y: &program.Deref{At: at, Addr: entry, Size: 8}}
}
