// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// global returns the location of the kernel's variable that @var("name") or
// @var("name@file") names; of a per-CPU variable, this CPU's copy. BTF has the
// types of per-CPU variables; of others the kernel's headers may, else only the address is known.
func (r *resolution) global() (*location, *syntax.Diagnostic) {
	name, file, _ := strings.Cut(r.x.Name, "@")
	fail := func(hint, format string, args ...any) (*location, *syntax.Diagnostic) {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	if l := r.object(name, file); l != nil {
		return l, nil
	}
	if r.moduleHasDebuginfo() {
		return r.fileVariable()
	}
	types, err := r.typesOfGlobals()
	if err != nil {
		return nil, r.env.Target.Complain(r.x.At, err)
	}
	l := &location{types: types, at: r.x.At, what: fmt.Sprintf("@var(%q)", r.x.Name)}
	ids := types.Find(name, btf.Variable)
	if len(ids) > 0 {
		l.typ = types.Target(ids[0])
	}
	if !kernelModule(r.x.Module) {
		in := program.Image{Module: symbols.ModuleName(r.x.Module)}
		in.BuildID, _ = r.env.Target.ModuleBuildID(in.Module)
		l.addr = &program.SymbolAddr{At: r.x.At, Image: in, Symbol: name}
		if len(ids) > 0 && types.PerCPU(ids[0]) {
			l.addr = image.ThisCPU(r.x.At, l.addr)
		}
		return r.typed(l, types)
	}
	k, err := r.env.Target.Kernel()
	if err != nil {
		return nil, r.env.Target.Complain(r.x.At, err)
	}
	list, err := k.Objects(name)
	switch {
	case err != nil:
		return nil, r.env.Target.Complain(r.x.At, err)
	case len(list) > 1, file != "" && r.env.Target.Debuginfo().Tells(r.x.Name):
		return r.fileVariable() // there are several of the name: debuginfo identifies them by file
	case len(list) == 0:
		hint := ""
		if near := k.NearestObjects(name, 3); len(near) > 0 {
			hint = suggest.DidYouMean(near)
		}
		return fail(hint, "kernel %s has no variable %q with a place of its own", k.Release, name)
	case list[0].Init():
		return fail("", "%q is initialization data, which is gone once the kernel has booted", name)
	}
	l.addr = &program.SymbolAddr{At: r.x.At, Symbol: name}
	if list[0].PerCPU {
		l.addr = image.ThisCPU(r.x.At, l.addr)
	}
	return r.typed(l, types)
}

// object returns the location of a program's variable by its symbol tables, if only the address is needed, for which no
// debuginfo is needed. It is nil if they have none, or several of the name.
func (r *resolution) object(name, file string) *location {
	if !r.x.Addr || len(r.x.Access) > 0 || file != "" || kernelModule(r.x.Module) || !r.env.isProgram(r.x.Module) {
		return nil
	}
	p, d := r.env.program(r.x.At, r.x.Module)
	if d != nil {
		return nil
	}
	addrs, err := p.Objects(name)
	if err != nil || len(addrs) != 1 {
		return nil
	}
	l := &location{types: dwarf.NoTypes(), at: r.x.At, what: fmt.Sprintf("@var(%q)", r.x.Name), user: true}
	if l.addr, err = p.Address(r.x.At, addrs[0], 0); err != nil {
		return nil
	}
	return l
}

// typesOfGlobals returns the types of the image that @var's last argument names,
// wherever the probe is: the kernel's, or those of an installed module.
func (r *resolution) typesOfGlobals() (btf.Named, error) {
	if !kernelModule(r.x.Module) {
		if m := r.env.Target.FirstModule(r.x.Module); m != nil {
			return m.Types()
		}
	}
	return r.env.Target.Types()
}

// moduleHasDebuginfo reports whether the variable may be one of a module with
// debuginfo: of the named module, or else of the probed one.
func (r *resolution) moduleHasDebuginfo() bool {
	if r.x.Module == "" {
		return r.Source() != nil && r.Source().Name() != ""
	}
	if kernelModule(r.x.Module) {
		return false
	}
	if r.env.isProgram(r.x.Module) {
		return true
	}
	module, d := r.env.Target.OneModule(r.x.At, r.x.Module)
	if d != nil {
		return false
	}
	if module.Debuginfo().Tells(r.x.Name) {
		return true
	}
	_, err := module.Debuginfo().Any()
	return err == nil
}

// typed looks a variable without a type in BTF up in debuginfo, and of the kernel's then in its headers, unless only
// its address is needed.
func (r *resolution) typed(l *location, types btf.Named) (*location, *syntax.Diagnostic) {
	switch {
	case l.typ != 0 || r.x.Addr && len(r.x.Access) == 0:
		return l, nil
	case kernelModule(r.x.Module) && r.env.Target.Debuginfo().Tells(r.x.Name):
		return r.fileVariable()
	case kernelModule(r.x.Module):
		name, _, _ := strings.Cut(r.x.Name, "@")
		if l.typ = headerType(types, r.env.Target.Release, name); l.typ != 0 {
			return l, nil
		}
	}
	return nil, &syntax.Diagnostic{Pos: r.x.At,
		Msg:  fmt.Sprintf("neither BTF, which tells it of per-CPU variables only, nor the kernel's headers say of what type %s is", l.what),
		Hint: fmt.Sprintf(`say it, as @cast(&%s, "int")[0] reads it as an int; or install debuginfo: %s`, l.what, r.env.Target.InstallDebuginfo())}
}
