// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
	"gostap/translator/syntax"
)

// moduleFunctions returns the sites of functions in the modules that
// module(PATTERN) stands for: the names of installed ones, or a module's file.
func moduleFunctions(maker *siteMaker, pattern string) ([]*ProbeSite, *syntax.Diagnostic) {
	m, target := maker.m, maker.c.Target
	paths, wild, d := target.ModulePaths(m.At, m.Text("module"))
	if d != nil {
		return nil, d
	}
	maker.wild = maker.wild || wild
	var sites []*ProbeSite
	var first *syntax.Diagnostic
	for _, path := range paths {
		module, err := target.Module(path)
		if err != nil {
			return nil, m.Errorf("%v", err)
		}
		maker.in = module
		functions, d := maker.find(pattern)
		if d != nil {
			if first == nil {
				first = d
			}
			continue
		}
		found := maker.sites(functions)
		if err := rebase(module.File, found, functions); err != nil {
			return nil, m.Errorf("%v", err)
		}
		sites = append(sites, found...)
	}
	if len(sites) > 0 {
		return sites, nil
	}
	if wild && len(paths) > 1 {
		return nil, m.Errorf("none of the %d modules that %q matches has a function %q that can be probed", len(paths), m.Text("module"), pattern)
	}
	return nil, first
}

// rebase gives points at functions with ambiguous names other base symbols, with unique names.
func rebase(m *symbols.Module, sites []*ProbeSite, functions []symbols.Func) (err error) {
	for i := range functions {
		f, pt := &functions[i], sites[i].Point
		if len(m.Lookup(f.Name)) == 1 {
			continue
		}
		if pt.Symbol, pt.Offset, err = m.BaseSymbol(f); err != nil {
			return err
		}
	}
	return nil
}

// inModules finds sites by the debuginfo of the modules that module(PATTERN) stands
// for; a module may have none. what names, for errors, what needs debuginfo.
func (c *Context) inModules(m match, what string, find func(*image.Source) ([]*ProbeSite, *syntax.Diagnostic)) ([]*ProbeSite, *syntax.Diagnostic) {
	paths, wild, d := c.Target.ModulePaths(m.At, m.Text("module"))
	if d != nil {
		return nil, d
	}
	var sites []*ProbeSite
	var first *syntax.Diagnostic
	for _, path := range paths {
		src, d := c.Target.ModuleSource(m.At, path, what, m.ProbePoint)
		var found []*ProbeSite
		if d == nil {
			found, d = find(src)
		}
		if d != nil && first == nil {
			first = d
		}
		sites = append(sites, found...)
	}
	switch {
	case len(sites) == 0 && len(paths) > 1:
		first = m.Errorf("none of the %d modules that %q matches has it; for one, %s", len(paths), m.Text("module"), first.Msg)
	case len(sites) > 0:
		first = nil
	}
	for _, site := range sites {
		site.Wild = site.Wild || wild
	}
	return sites, first
}
