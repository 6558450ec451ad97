// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gostap/elaborate/symbols"
	"gostap/internal/kernels"
	"gostap/translator/syntax"
)

// moduleFunctions returns the places of functions in the modules that
// module(PATTERN) stands for: the names of installed ones, or a module's file.
func moduleFunctions(maker *placeMaker, pattern string) ([]*Place, *syntax.Diagnostic) {
	m, target := maker.m, maker.s.target
	paths, wild, d := target.modulePaths(m.at(), m.text("module"))
	if d != nil {
		return nil, d
	}
	maker.wild = maker.wild || wild
	var places []*Place
	var first *syntax.Diagnostic
	for _, path := range paths {
		module, err := target.module(path)
		if err != nil {
			return nil, m.errorf("%v", err)
		}
		maker.in = module
		functions, d := maker.find(&scope{Functions: &module.Functions, what: "module " + module.Name}, pattern)
		if d != nil {
			if first == nil {
				first = d
			}
			continue
		}
		found := maker.places(functions)
		if err := module.anchor(found, functions); err != nil {
			return nil, m.errorf("%v", err)
		}
		places = append(places, found...)
	}
	if len(places) > 0 {
		return places, nil
	}
	if wild && len(paths) > 1 {
		return nil, m.errorf("none of the %d modules that %q matches has a function %q that can be probed", len(paths), m.text("module"), pattern)
	}
	return nil, first
}

// anchor has the places of functions that share their name count from other symbols.
func (m *openModule) anchor(places []*Place, functions []symbols.Func) (err error) {
	for i := range functions {
		f, pt := &functions[i], places[i].Point
		if len(m.Lookup(f.Name)) == 1 {
			continue
		}
		if pt.Symbol, pt.Offset, err = m.Anchor(f); err != nil {
			return err
		}
	}
	return nil
}

// modulePaths returns the files of the modules that pattern stands for.
func (t *Target) modulePaths(at syntax.Pos, pattern string) (paths []string, wild bool, d *syntax.Diagnostic) {
	if strings.Contains(pattern, "/") {
		if _, err := os.Stat(pattern); err != nil {
			return nil, false, errorAt(at, "module %q: %v", pattern, err)
		}
		path, err := filepath.Abs(pattern)
		if err != nil {
			return nil, false, errorAt(at, "module %q: %v", pattern, err)
		}
		return []string{path}, false, nil
	}
	tree, err := t.modules()
	if err != nil {
		return nil, false, t.complain(at, err)
	}
	for _, name := range tree.Glob(pattern) {
		paths = append(paths, tree[name])
	}
	if err := tree.Read(tree.Glob(pattern)); err != nil {
		return nil, false, errorAt(at, "%v", err)
	}
	if len(paths) > 0 {
		return paths, strings.ContainsAny(pattern, "*?["), nil
	}
	d = errorAt(at, "kernel %s has no module %q", t.Release, pattern)
	switch near := tree.Nearest(pattern, 3); {
	case t.builtin(pattern):
		d.Hint = fmt.Sprintf("it is built into the kernel: write kernel instead of module(%q)", pattern)
	case len(near) > 0:
		d.Hint = didYouMean(near)
	default:
		d.Hint = "a module that is not under /lib/modules is named by its file: module(\"/path/to/NAME.ko\")"
	}
	return nil, false, d
}

// namedModule returns the first module that names, parted by colons, has: by
// its name or its file; nil if there is none.
func (t *Target) namedModule(names string) *openModule {
	tree, err := t.modules()
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
		if m, err := t.module(path); err == nil {
			return m
		}
	}
	return nil
}

// builtin reports whether the module of that name is a part of the kernel itself.
func (t *Target) builtin(name string) bool {
	list, err := os.ReadFile(filepath.Join(kernels.Find(t.Release).Modules(), "modules.builtin"))
	return err == nil && strings.Contains(strings.ReplaceAll(string(list), "-", "_"), "/"+strings.ReplaceAll(name, "-", "_")+".ko\n")
}
