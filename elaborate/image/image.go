// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// An Image is a file of machine code in which there can be probes.
type Image interface {
	ID() program.Image // for sites and expressions
	Name() string      // the module's name, the program's path, "" for the kernel itself
	String() string    // for messages: "module fuse"
	Component() string // as in probe points: kernel, module("fuse"), process("/usr/bin/bash")
	Symbols() *symbols.Functions
	// Types returns the image's types; a module's with those of the kernel.
	Types() (btf.Named, error)
	// Typed reports whether the file itself has type information.
	Typed() bool
	Debuginfo() *Debuginfo
	// User reports whether variables of the image are in user space.
	User() bool

	// address returns an expression for the run-time address of code or data that is linked at addr, for a probe at from.
	address(info *dwarf.Info, at syntax.Pos, addr, from uint64) (program.Expr, error)
	variable(info *dwarf.Info, at syntax.Pos, addr, from uint64) (program.Expr, error)
	site(b *BaseSymbol, addr uint64) program.Site
	baseSymbol(info *dwarf.Info, in dwarf.Instance) (base BaseSymbol, why string, lost bool)
	refusal(info *dwarf.Info, in dwarf.Instance, a *BaseSymbol, addr uint64) string
}

// A Source is an image with its debuginfo.
type Source struct {
	Image
	Info *dwarf.Info
}

// Address returns an expression for the run-time address of code that is linked at addr, for a probe at from in the image.
func (s *Source) Address(at syntax.Pos, addr, from uint64) (program.Expr, error) {
	return s.address(s.Info, at, addr, from)
}

// Variable returns the address of a variable that is linked at addr, for a handler of a
// probe at from in the image; of a per-CPU variable, that of this CPU's part.
func (s *Source) Variable(at syntax.Pos, addr, from uint64) (program.Expr, error) {
	return s.variable(s.Info, at, addr, from)
}

// Site returns the site at an address, as linked, relative to the base symbol b.
func (s *Source) Site(b *BaseSymbol, addr uint64) program.Site { return s.site(b, addr) }

// BaseSymbol returns the symbol that addresses in an instance's code are relative to; why is set if
// the code can't be probed, and lost if no symbol contains it.
func (s *Source) BaseSymbol(in dwarf.Instance) (base BaseSymbol, why string, lost bool) {
	return s.baseSymbol(s.Info, in)
}

// Function returns what the debuginfo says of the function with a symbol's name and
// address, as linked. A module's debuginfo may have its sections at
// other addresses: there the name and the address within the section identify the function.
func (s *Source) Function(symbol string, addr uint64) (dwarf.Instance, bool) {
	if s.Name() == "" {
		return s.Info.At(addr)
	}
	name, _, _ := strings.Cut(symbol, ".")
	for _, f := range s.Info.Lookup(name) {
		for _, in := range f.Instances() {
			if !in.Inlined && in.Symbol == symbol && in.Low-s.Info.SectionAt(in.Low).Addr == addr {
				return in, true
			}
		}
	}
	return dwarf.Instance{}, false
}

// Refusal says why there can't be a kprobe at addr in an instance's code, ""
// if there can. If the code is not available, it is left to the kernel to refuse
// the kprobe.
func (s *Source) Refusal(in dwarf.Instance, a *BaseSymbol, addr uint64) string {
	return s.refusal(s.Info, in, a, addr)
}

// A BaseSymbol is the symbol that the addresses of probed code are relative to.
type BaseSymbol struct {
	symbols.Func
	Image program.Image
}

// kernelSite returns the site at an address, as linked, in the kernel's code or a module's.
func (b *BaseSymbol) kernelSite(addr uint64) program.Site {
	return program.Site{Image: b.Image, Symbol: b.Name, SymbolOffset: b.Offset, Offset: int64(addr - b.Addr)}
}

// ThisCPU returns the address of this CPU's part of a per-CPU variable:
// its address plus __per_cpu_offset[cpu()].
func ThisCPU(at syntax.Pos, addr program.Expr) program.Expr {
	entry := &program.Binary{At: at, Op: "+", X: &program.SymbolAddr{At: at, Symbol: "__per_cpu_offset"},
		Y: &program.Binary{At: at, Op: "*", X: &program.ScriptExpr{X: &syntax.CallExpr{At: at, Name: "cpu"}}, Y: &program.Number{At: at, Value: 8}}}
	return &program.Binary{At: at, Op: "+", X: addr, Y: &program.Deref{At: at, Addr: entry, Size: 8}}
}
