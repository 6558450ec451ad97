// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// An image is the kernel or a module, as debuginfo knows it.
type image struct {
	module string // its name; "" for the kernel itself
	info   *dwarf.Info
	kernel *symbols.Kernel // nil for a module

	codeAt func(addr uint64) (code *machineCode, start uint64) // nil where nobody knows
}

// kernelImage returns the kernel itself, of which info is the debuginfo.
func (t *Target) kernelImage(info *dwarf.Info) *image {
	k, _ := t.kernel() // whoever has its debuginfo has asked for it
	return &image{info: info, kernel: k, codeAt: func(uint64) (*machineCode, uint64) {
		code, _ := t.code()
		return code, 0
	}}
}

// title is how error messages name the image.
func (im *image) title(release string) string { return title(im.module, release) }

// title is how error messages name a module, or the kernel itself if that is "".
func title(module, release string) string {
	if module != "" {
		return "module " + module
	}
	return "kernel " + release
}

// address returns the address of a variable; of a per-CPU one, that of this CPU's part.
func (im *image) address(at syntax.Pos, addr uint64) (program.Expr, error) {
	percpu := im.kernel != nil && im.kernel.PerCPU(addr)
	if percpu && addr < im.kernel.Text() {
		// Before 6.15 the kernel's per-CPU variables are linked at 0, and stay there.
		return thisCPU(at, &program.Number{At: at, Value: int64(addr)}), nil
	}
	symbol, offset, err := im.locate(addr)
	if err != nil {
		return nil, err
	}
	x := plus(at, &program.SymbolAddr{At: at, Module: im.module, Symbol: symbol}, offset)
	if percpu || im.kernel == nil && strings.HasPrefix(im.info.SectionAt(addr).Name, ".data..percpu") {
		x = thisCPU(at, x)
	}
	return x, nil
}

// thisCPU returns the address of this CPU's part of a per-CPU variable:
// its address plus __per_cpu_offset[cpu()].
func thisCPU(at syntax.Pos, addr program.Expr) program.Expr {
	entry := &program.Binary{At: at, Op: "+", X: &program.SymbolAddr{At: at, Symbol: "__per_cpu_offset"},
		Y: &program.Binary{At: at, Op: "*", X: &program.Operand{X: &syntax.CallExpr{At: at, Name: "cpu"}}, Y: &program.Number{At: at, Value: 8}}}
	return &program.Binary{At: at, Op: "+", X: addr, Y: &program.Deref{At: at, Addr: entry, Size: 8}}
}

// locate returns the symbol that an address counts from, and the distance.
func (im *image) locate(addr uint64) (symbol string, offset int64, err error) {
	if im.kernel != nil {
		return "_stext", int64(addr - im.kernel.Text()), nil
	}
	symbol, offset, ok := im.info.SymbolAt(addr)
	if !ok {
		return "", 0, errors.New("it is in a part of the module that has no symbol to count from")
	}
	return symbol, offset, nil
}

// An anchor is the symbol that probed code counts from.
type anchor struct {
	symbols.Func
	module string
}

// anchor returns the anchor of an instance's code; why is set if it can't be
// probed, and lost if nobody knows what it is in.
func (im *image) anchor(in dwarf.Instance) (a anchor, why string, lost bool) {
	start := in.Low
	if in.Outer != nil {
		start = in.Outer.Low
	}
	if im.kernel == nil {
		if s := im.info.SectionAt(start).Name; strings.HasPrefix(s, ".init") || strings.HasPrefix(s, ".exit") {
			return a, symbols.Init.String(), false
		}
		name, offset, ok := im.info.SymbolAt(start)
		return anchor{symbols.Func{Name: name, Addr: start - uint64(offset)}, im.module}, "", !ok
	}
	for _, f := range im.kernel.Lookup(in.Symbol) {
		if f.Addr != start {
			continue
		}
		if f.Refusal != symbols.Probeable && !f.Refusal.OnlyEntry() {
			return a, f.Refusal.String(), false
		}
		return anchor{Func: f}, "", false
	}
	return a, "", true
}
