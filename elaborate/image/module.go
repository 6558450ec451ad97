// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/internal/kernels"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A Module is the image of one of the kernel's modules.
type Module struct {
	File   *symbols.Module
	target *Target

	types     func() (*btf.Spec, error)
	code      func() (map[string]*machineCode, error) // by sections
	debuginfo *Debuginfo
}

// Module opens a module's file.
func (t *Target) Module(path string) (*Module, error) {
	if m := t.opened[path]; m != nil {
		return m, nil
	}
	file, err := symbols.OpenModule(path)
	if err != nil {
		return nil, err
	}
	m := &Module{File: file, target: t}
	m.types = sync.OnceValues(func() (*btf.Spec, error) { return t.readModuleTypes(m) })
	m.code = sync.OnceValues(func() (map[string]*machineCode, error) { return t.readModuleCode(file) })
	m.debuginfo = t.newDebuginfo(file.Name, file.BuildID,
		func(f *dwarf.Finder, id string) (string, error) { return f.Module(path, id) })
	t.opened[path] = m
	return m, nil
}

// ID names the module; one that was linked without a build-id has none.
func (m *Module) ID() program.Image {
	id, _ := m.File.BuildID()
	return program.Image{Module: m.File.Name, BuildID: id}
}

func (m *Module) Name() string                { return m.File.Name }
func (m *Module) String() string              { return symbols.Title(m.File.Name, "") }
func (m *Module) Symbols() *symbols.Functions { return &m.File.Functions }
func (m *Module) Types() (btf.Named, error)   { return named(m.types()) }
func (m *Module) Component() string           { return fmt.Sprintf("module(%q)", m.File.Name) }
func (m *Module) Typed() bool                 { return m.File.BTFPath() != "" }
func (m *Module) Debuginfo() *Debuginfo       { return m.debuginfo }
func (m *Module) User() bool                  { return false }

func (m *Module) site(b *BaseSymbol, addr uint64) program.Site { return b.kernelSite(addr) }

func (m *Module) address(info *dwarf.Info, at syntax.Pos, addr, _ uint64) (program.Expr, error) {
	symbol, offset, ok := info.SymbolAt(addr)
	if !ok {
		return nil, errors.New("it is in a part of the module that has no symbol to count from")
	}
	return program.Plus(at, &program.SymbolAddr{At: at, Image: m.ID(), Symbol: symbol}, offset), nil
}

func (m *Module) variable(info *dwarf.Info, at syntax.Pos, addr, from uint64) (program.Expr, error) {
	x, err := m.address(info, at, addr, from)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(info.SectionAt(addr).Name, ".data..percpu") {
		x = ThisCPU(at, x)
	}
	return x, nil
}

func (m *Module) baseSymbol(info *dwarf.Info, in dwarf.Instance) (base BaseSymbol, why string, lost bool) {
	start := in.Outermost().Low
	if s := info.SectionAt(start).Name; strings.HasPrefix(s, ".init") || strings.HasPrefix(s, ".exit") {
		return base, symbols.Init.String(), false
	}
	name, offset, ok := info.SymbolAt(start)
	f := symbols.Func{Name: name}
	if list := m.Symbols().Lookup(name); len(list) > 0 {
		f = list[0]
	}
	f.Addr = start - uint64(offset) // by the debuginfo's sections
	return BaseSymbol{f, m.ID()}, "", !ok
}

func (m *Module) refusal(info *dwarf.Info, in dwarf.Instance, a *BaseSymbol, addr uint64) string {
	if sections, err := m.code(); err == nil {
		section := info.SectionAt(addr)
		if code := sections[section.Name]; code != nil {
			if why := code.refusalAt(info, in, a, addr, section.Addr); why != "" {
				return why
			}
		}
	}
	return m.target.jumpOver(a, addr)
}

// Modules returns the modules that are installed for the kernel.
func (t *Target) Modules() (symbols.ModuleTree, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	return k.Modules()
}

// ModulePaths returns the files of the modules that pattern stands for: names of
// installed ones with wildcards, or a module's file.
func (t *Target) ModulePaths(at syntax.Pos, pattern string) (paths []string, wild bool, d *syntax.Diagnostic) {
	if strings.Contains(pattern, "/") {
		if _, err := os.Stat(pattern); err != nil {
			return nil, false, syntax.Errorf(at, "module %q: %v", pattern, err)
		}
		path, err := filepath.Abs(pattern)
		if err != nil {
			return nil, false, syntax.Errorf(at, "module %q: %v", pattern, err)
		}
		return []string{path}, false, nil
	}
	tree, err := t.Modules()
	if err != nil {
		return nil, false, t.Complain(at, err)
	}
	for _, name := range tree.Glob(pattern) {
		paths = append(paths, tree[name])
	}
	if err := tree.Read(tree.Glob(pattern)); err != nil {
		return nil, false, syntax.Errorf(at, "%v", err)
	}
	if len(paths) > 0 {
		return paths, strings.ContainsAny(pattern, "*?["), nil
	}
	d = syntax.Errorf(at, "kernel %s has no module %q", t.Release, pattern)
	switch near := tree.Nearest(pattern, 3); {
	case t.builtin(pattern):
		d.Hint = fmt.Sprintf("it is built into the kernel: write kernel instead of module(%q)", pattern)
	case len(near) > 0:
		d.Hint = suggest.DidYouMean(near)
	default:
		d.Hint = "a module that is not under /lib/modules is named by its file: module(\"/path/to/NAME.ko\")"
	}
	return nil, false, d
}

// ModuleSource returns the module of a file with its debuginfo, for a probe point, or for
// variables if that is nil; what names, for the error, what needs it.
func (t *Target) ModuleSource(at syntax.Pos, path, what string, point *syntax.ProbePoint) (*Source, *syntax.Diagnostic) {
	module, err := t.Module(path)
	if err != nil {
		return nil, syntax.Errorf(at, "%v", err)
	}
	info, d := module.debuginfo.Need(at, what, point)
	if d != nil {
		return nil, d
	}
	return &Source{module, info}, nil
}

// OneModule returns the module that name stands for, an installed one's or a module's file.
func (t *Target) OneModule(at syntax.Pos, name string) (*Module, *syntax.Diagnostic) {
	paths, _, d := t.ModulePaths(at, name)
	if d != nil {
		return nil, d
	}
	if len(paths) > 1 {
		return nil, syntax.Errorf(at, "%d modules match %q: debuginfo is looked for in one", len(paths), name)
	}
	module, err := t.Module(paths[0])
	if err != nil {
		return nil, syntax.Errorf(at, "%v", err)
	}
	return module, nil
}

// FirstModule returns the first module that exists of names, which are separated by colons: names of
// modules, or files; nil if there is none.
func (t *Target) FirstModule(names string) *Module {
	tree, err := t.Modules()
	if err != nil {
		return nil
	}
	for name := range strings.SplitSeq(names, ":") {
		path := tree[strings.ReplaceAll(name, "-", "_")]
		if strings.HasSuffix(name, ".ko") {
			path = name
		}
		if path == "" {
			continue
		}
		if m, err := t.Module(path); err == nil {
			return m
		}
	}
	return nil
}

// ModuleBuildID returns an installed module's build-id; ok is false if none of that name is installed.
func (t *Target) ModuleBuildID(name string) (id string, ok bool) {
	tree, err := t.Modules()
	if err != nil || tree[name] == "" {
		return "", false
	}
	m, err := t.Module(tree[name])
	if err != nil {
		return "", false
	}
	id, err = m.File.BuildID()
	return id, err == nil
}

// builtin reports whether the module of that name is a part of the kernel itself.
func (t *Target) builtin(name string) bool {
	list, err := os.ReadFile(filepath.Join(kernels.Find(t.Release).Modules(), "modules.builtin"))
	return err == nil && strings.Contains(strings.ReplaceAll(string(list), "-", "_"), "/"+strings.ReplaceAll(name, "-", "_")+".ko\n")
}
