// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// cast returns the location that @cast(X, "type", "module") points to. Of several modules, "a:b", the first that has the
// type is used.
func (r *resolution) cast() (l *location, d *syntax.Diagnostic) {
	if !strings.ContainsAny(r.x.Module, "/<") {
		return r.castIn(r.x.Module)
	}
	for _, module := range strings.Split(r.x.Module, ":") {
		if l, d = r.castIn(module); d == nil {
			break
		}
	}
	return l, d
}

// castIn resolves a @cast with the types of one module, or of "kernel:module".
func (r *resolution) castIn(module string) (*location, *syntax.Diagnostic) {
	fail := func(format string, args ...any) (*location, *syntax.Diagnostic) {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf(format, args...)}
	}
	types, where, user := r.types, "the kernel", false
	switch im := r.Source(); {
	case headers().MatchString(module):
		path, d := headerProgram(r.x.At, module)
		if d != nil {
			return nil, d
		}
		src, d := r.env.programSource(r.x.At, path, fmt.Sprintf("@cast: the type %q", r.x.Name))
		if d != nil {
			return nil, d
		}
		types, where, user = src.Info.Types(), module, true
	case r.env.isProgram(module):
		src, d := r.env.programSource(r.x.At, module, fmt.Sprintf("@cast: the type %q", r.x.Name))
		if d != nil {
			return nil, d
		}
		types, where, user = src.Info.Types(), src.String(), true
	case kernelModule(module) && r.site.inProgram():
		// A type that the program lacks may be one of the kernel's.
		if user = module == "" && len(typesNamed(types, r.x.Name)) > 0; user {
			break
		}
		own, err := r.env.Target.Types()
		if err != nil {
			return nil, r.env.Target.Complain(r.x.At, err)
		}
		types = own
		if im != nil && module == "" {
			where = im.String() + " or the kernel"
		}
	case !kernelModule(module):
		m := r.env.Target.FirstModule(module)
		if m == nil {
			return fail("@cast: types are known of the kernel, its modules, and programs, and none of them is %q", module)
		}
		own, err := m.Types()
		if err != nil {
			return nil, r.env.Target.Complain(r.x.At, err)
		}
		types, where = own, "the module "+m.Name()
	}
	ids := typesNamed(types, r.x.Name)
	if len(ids) == 0 && kernelModule(module) {
		// "kernel:nfsd": a type that the kernel itself lacks may be one of these modules'.
		for _, name := range strings.Split(module, ":") {
			m := r.env.Target.FirstModule(name)
			if m == nil || len(ids) > 0 {
				continue
			}
			own, err := m.Types()
			if err != nil {
				return nil, r.env.Target.Complain(r.x.At, err)
			}
			types, ids = own, typesNamed(own, r.x.Name)
		}
	}
	if len(ids) == 0 {
		return fail("@cast: %s has no type %q", where, r.x.Name)
	}
	at := func(id btf.ID) *location {
		return &location{types: types, full: types, at: r.x.At, what: syntax.ExprString(r.x.X), typ: id, addr: &program.ScriptExpr{X: r.x.X}, user: user}
	}
	// There may be several structs of the name: the first that has the member is used.
	l := at(ids[0])
	if len(r.x.Access) > 0 && r.x.Access[0].Member != "" {
		for _, id := range ids {
			if _, ok := types.Member(id, r.x.Access[0].Member); ok {
				l = at(id)
				break
			}
		}
	}
	return l, nil
}

// kernelModule reports whether @cast's last argument means the kernel.
func kernelModule(module string) bool {
	if module == "" {
		return true
	}
	for _, m := range strings.Split(module, ":") {
		if m == "kernel" || m == "vmlinux" || strings.HasPrefix(m, "kernel<") {
			return true
		}
	}
	return false
}

// longNames are abbreviations of C's integer types, with the names in debuginfo.
var longNames = map[string]string{
	"long": "long int", "unsigned long": "long unsigned int", "unsigned long int": "long unsigned int",
	"short": "short int", "unsigned short": "short unsigned int", "unsigned short int": "short unsigned int",
	"long long": "long long int", "unsigned long long": "long long unsigned int",
	"unsigned": "unsigned int", "bool": "_Bool", "signed": "int",
}

// typesNamed returns the types that name may mean: "struct file", "file",
// "size_t", "char*".
func typesNamed(types btf.Named, name string) []btf.ID {
	name = strings.Join(strings.Fields(name), " ")
	if base, ok := strings.CutSuffix(name, "*"); ok {
		for _, id := range typesNamed(types, base) {
			if p, ok := types.PointerTo(id); ok {
				return []btf.ID{p}
			}
		}
		return nil
	}
	name = strings.TrimPrefix(name, "const ")
	for word, kinds := range map[string][]btf.Kind{
		"struct ": {btf.Struct}, "union ": {btf.Union}, "enum ": {btf.Enum, btf.Enum64},
	} {
		if tag, ok := strings.CutPrefix(name, word); ok {
			return types.Find(tag, kinds...)
		}
	}
	for _, kind := range []btf.Kind{btf.Struct, btf.Union, btf.Typedef, btf.Int, btf.Enum, btf.Enum64} {
		if ids := types.Find(name, kind); len(ids) > 0 {
			return ids
		}
	}
	if long, ok := longNames[name]; ok {
		return types.Find(long, btf.Int)
	}
	return nil
}
