// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
)

// A Function is one of the kernel's or of a module's, as gostap funcs lists it.
type Function struct {
	Name      string
	Module    string `json:",omitempty"` // a program's path; "" for the kernel itself
	Size      uint32 // bytes
	Global    bool   // not static
	Exported  bool   // modules may use it
	Traced    bool   // it has an ftrace site: probes there cost least
	Refused   string `json:",omitempty"` // why it can't be probed; "" if it can
	Signature string `json:",omitempty"` // as it is declared; "" if that is not known
}

// Functions returns the functions whose names match pattern: the kernel's, or
// if modules is not "", those of the modules whose names match that, or of programs
// and libraries by their paths.
func Functions(target *image.Target, pattern, modules string) ([]Function, error) {
	k, err := target.Kernel()
	if err != nil {
		return nil, err
	}
	if modules == "" {
		types, _ := target.Types()
		return describe(nil, k.Glob(pattern), "", types), nil
	}
	if strings.Contains(modules, "/") || strings.Contains(modules, ".so") {
		return programFunctions(target, pattern, modules)
	}
	tree, err := k.Modules()
	if err != nil {
		return nil, err
	}
	var list []Function
	names := tree.Glob(modules)
	if err := tree.Read(names); err != nil {
		return nil, err
	}
	for _, name := range names {
		m, err := target.Module(tree[name])
		if err != nil {
			return nil, err
		}
		types, _ := m.Types()
		list = describe(list, m.Symbols().Glob(pattern), m.Name(), types)
	}
	return list, nil
}

// programFunctions returns the functions of programs that have symbols.
func programFunctions(target *image.Target, pattern, name string) (list []Function, err error) {
	paths, err := executable.Find(name)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		p, err := target.Program(path)
		if err != nil {
			return nil, err
		}
		list = describe(list, p.Symbols().Glob(pattern), path, nil)
	}
	return list, nil
}

// describe adds functions; types may be nil.
func describe(list []Function, functions []symbols.Func, module string, types btf.Named) []Function {
	for i := range functions {
		f := &functions[i]
		d := Function{
			Name: f.Name, Module: module, Size: f.Size,
			Global: f.Kind == 'T' || f.Kind == 'W', Exported: f.Exported, Traced: f.Ftrace && f.Refusal == symbols.Probeable,
		}
		if f.Refusal != symbols.Probeable {
			d.Refused = f.Refusal.String()
		}
		if types != nil {
			d.Signature = signature(types, f.Name)
		}
		list = append(list, d)
	}
	return list
}

// signature spells a function's declaration; "" if that is not certain.
func signature(types btf.Named, name string) string {
	if ids := types.Find(name, btf.Function); len(ids) == 1 {
		if p, ok := types.Proto(ids[0]); ok {
			return btf.Signature(types, name, p)
		}
	}
	return ""
}
