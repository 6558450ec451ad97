// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Members returns the names of the members for x->…, in the order of their declaration; none if x is neither a struct or union
// nor a pointer to one.
func (v *Resolver) Members(x *syntax.TargetVar) ([]Variable, *syntax.Diagnostic) {
	types, err := v.site.types()
	if err != nil {
		return nil, v.env.Target.Complain(x.At, err)
	}
	r := &resolution{Resolver: v, types: types, x: x, made: map[syntax.Expr]*program.Value{}, atEntry: x.Name != "return"}
	l, access, d := r.startOrResult()
	if d != nil || l == nil {
		return nil, d
	}
	if l, d = r.follow(l, access); d != nil {
		return nil, d
	}
	if l.isReference() {
		if l, d = l.deref(); d != nil {
			return nil, d
		}
	}
	if l, d = l.container(); d != nil {
		return nil, d
	}
	if kind := l.types.Kind(l.real()); kind != btf.Struct && kind != btf.Union {
		return nil, nil
	}
	var list []Variable
	for _, name := range l.types.MemberNames(l.typ) {
		if m, ok := l.types.Member(l.typ, name); ok {
			list = append(list, Variable{Name: name, Type: l.types.String(m.Type), Here: true})
		}
	}
	return list, nil
}
