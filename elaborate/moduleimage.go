// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import "gostap/translator/syntax"

// inModules finds places by the debuginfo of the modules that module(PATTERN) stands
// for, of which each need not have any; what can't be known for the probe point without it.
func (s *session) inModules(m match, what string, find func(*image) ([]*Place, *syntax.Diagnostic)) ([]*Place, *syntax.Diagnostic) {
	paths, wild, d := s.target.modulePaths(m.at(), m.text("module"))
	if d != nil {
		return nil, d
	}
	var places []*Place
	var first *syntax.Diagnostic
	for _, path := range paths {
		im, d := s.target.imageAt(m.at(), path, what, m.point)
		var found []*Place
		if d == nil {
			found, d = find(im)
		}
		if d != nil && first == nil {
			first = d
		}
		places = append(places, found...)
	}
	switch {
	case len(places) == 0 && len(paths) > 1:
		first = m.errorf("none of the %d modules that %q matches has it; for one, %s", len(paths), m.text("module"), first.Msg)
	case len(places) > 0:
		first = nil
	}
	for _, place := range places {
		place.Wild = place.Wild || wild
	}
	return places, first
}

// moduleImage returns a module by name, that of an installed one or of a module's
// file, with its debuginfo, without which what can't be known.
func (t *Target) moduleImage(at syntax.Pos, name, what string) (*image, *syntax.Diagnostic) {
	module, d := t.oneModule(at, name)
	if d != nil {
		return nil, d
	}
	return t.imageAt(at, module.Path, what, nil)
}

// imageAt returns the module of a file with its debuginfo.
func (t *Target) imageAt(at syntax.Pos, path, what string, point *syntax.ProbePoint) (*image, *syntax.Diagnostic) {
	module, err := t.module(path)
	if err != nil {
		return nil, errorAt(at, "%v", err)
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
