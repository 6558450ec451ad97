// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A kernel is the image of the kernel itself.
type kernel struct {
	*symbols.Kernel
	target *Target
}

// Image returns the kernel itself.
func (t *Target) Image() (Image, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	return &kernel{k, t}, nil
}

// Source returns the kernel with its debuginfo, which the caller has from Need.
func (t *Target) Source(info *dwarf.Info) *Source {
	k, _ := t.kernel() // it has been opened for its debuginfo
	return &Source{&kernel{k, t}, info}
}

func (k *kernel) ID() program.Image           { return program.Image{} }
func (k *kernel) Name() string                { return "" }
func (k *kernel) String() string              { return symbols.Title("", k.Release) }
func (k *kernel) Symbols() *symbols.Functions { return &k.Functions }
func (k *kernel) Types() (btf.Named, error)   { return named(k.target.types()) }
func (k *kernel) Component() string           { return "kernel" }
func (k *kernel) Typed() bool                 { return k.BTFPath() != "" }
func (k *kernel) Debuginfo() *Debuginfo       { return k.target.debuginfo }
func (k *kernel) User() bool                  { return false }

func (k *kernel) site(b *BaseSymbol, addr uint64) program.Site { return b.kernelSite(addr) }

func (k *kernel) address(_ *dwarf.Info, at syntax.Pos, addr, _ uint64) (program.Expr, error) {
	return program.Plus(at, &program.SymbolAddr{At: at, Symbol: "_stext"}, int64(addr-k.Text())), nil
}

func (k *kernel) variable(info *dwarf.Info, at syntax.Pos, addr, from uint64) (program.Expr, error) {
	percpu := k.PerCPU(addr)
	if percpu && addr < k.Text() {
		// Before 6.15 the kernel's per-CPU variables are linked at 0, and stay there.
		return ThisCPU(at, &program.Number{At: at, Value: int64(addr)}), nil
	}
	x, err := k.address(info, at, addr, from)
	if err == nil && percpu {
		x = ThisCPU(at, x)
	}
	return x, err
}

func (k *kernel) baseSymbol(_ *dwarf.Info, in dwarf.Instance) (base BaseSymbol, why string, lost bool) {
	for _, f := range k.Lookup(in.Symbol) {
		if f.Addr != in.Outermost().Low {
			continue
		}
		if f.Refusal != symbols.Probeable && !f.Refusal.OnlyEntry() {
			return base, f.Refusal.String(), false
		}
		return BaseSymbol{Func: f}, "", false
	}
	return base, "", true
}

func (k *kernel) refusal(info *dwarf.Info, in dwarf.Instance, a *BaseSymbol, addr uint64) string {
	if code, _ := k.target.code(); code != nil {
		if why := code.refusalAt(info, in, a, addr, 0); why != "" {
			return why
		}
	}
	return k.target.jumpOver(a, addr)
}
