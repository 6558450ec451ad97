// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import "gostap/translator/syntax"

// moduleImage returns a module by name, that of an installed one or of a module's
// file, with its debuginfo, without which what can't be known for a probe point.
func (t *Target) moduleImage(at syntax.Pos, name, what string, point *syntax.ProbePoint) (*image, *syntax.Diagnostic) {
	module, d := t.oneModule(at, name)
	if d != nil {
		return nil, d
	}
	info, d := module.debuginfo.need(at, what, point)
	if d != nil {
		return nil, d
	}
	return &image{module: module.Name, info: info, codeAt: func(addr uint64) (*machineCode, uint64) {
		code, err := module.code()
		if err != nil {
			return nil, 0
		}
		s := info.SectionAt(addr)
		return code[s.Name], s.Addr
	}}, nil
}

// oneModule returns the module that name stands for.
func (t *Target) oneModule(at syntax.Pos, name string) (*openModule, *syntax.Diagnostic) {
	paths, _, d := t.modulePaths(at, name)
	if d != nil {
		return nil, d
	}
	if len(paths) > 1 {
		return nil, errorAt(at, "%d modules match %q: debuginfo is looked for in one", len(paths), name)
	}
	module, err := t.module(paths[0])
	if err != nil {
		return nil, errorAt(at, "%v", err)
	}
	return module, nil
}
