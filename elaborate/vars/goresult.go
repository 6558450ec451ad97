// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// resultName is the name of a result in scripts: in DWARF, those without a name are ~r0, ~r1 and so on.
func resultName(v *dwarf.Variable) string { return strings.TrimPrefix(v.Name, "~") }

// goResults returns the locations of a Go function's results at its return; ok is false if it is no Go function.
func (r *resolution) goResults() (list []named, ok bool) {
	s := r.exact()
	if s == nil || !r.atReturn || r.atEntry || !s.IsGo() {
		return nil, false
	}
	types := s.Info.Types()
	ids := func(list []*dwarf.Variable) (ids []btf.ID) {
		for _, v := range list {
			ids = append(ids, v.Type)
		}
		return ids
	}
	results := s.Results()
	_, end := goAssignments(types, ids(s.params()), machine.ReturnAddress)
	assigned, _ := goAssignments(types, ids(results), end)
	for i, v := range results {
		l := goLocation(types, s.full, v, assigned[i], r.x.At)
		l.what = "$return"
		if len(results) > 1 {
			l.what += "->" + resultName(v)
		}
		list = append(list, named{resultName(v), l})
	}
	return list, true
}

// goPassed returns the location of a Go function's parameter at its entry.
func (r *resolution) goPassed(s *scope, v *variable) *location {
	types := s.Info.Types()
	var ids []btf.ID
	at := 0
	for i, one := range s.params() {
		if one == v {
			at = i
		}
		ids = append(ids, one.Type)
	}
	assigned, _ := goAssignments(types, ids, machine.ReturnAddress)
	return goLocation(types, s.full, v, assigned[at], r.x.At)
}

// params are the function's parameters, as they are declared.
func (s *scope) params() (list []*variable) {
	for _, v := range s.Variables() {
		if v.Param {
			list = append(list, v)
		}
	}
	return list
}

// isResult reports whether $name is one of a Go function's results, at its return.
func (v *Resolver) isResult(name string) bool {
	s := v.exact()
	if s == nil || !v.atReturn {
		return false
	}
	for _, one := range s.Results() {
		if resultName(one) == name {
			return true
		}
	}
	return false
}

// goResult returns one of several results, which $NAME, or the first access of $return, selects by name or
// number, with the other accesses. l is nil if $return stands for all of them.
func (r *resolution) goResult(list []named) (l *location, rest []syntax.Access, d *syntax.Diagnostic) {
	rest = r.x.Access
	name := r.x.Name
	if name == "return" {
		switch len(list) {
		case 0:
			return nil, nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$return: %s returns nothing", r.site.String())}
		case 1:
			return list[0].at, rest, nil
		}
		if len(rest) == 0 && r.x.Pretty > 0 {
			return nil, nil, nil
		}
		name = ""
		if len(rest) > 0 {
			if n, ok := constant(rest[0].Index); rest[0].Index != nil && ok && n >= 0 && n < int64(len(list)) {
				return list[n].at, rest[1:], nil
			}
			name, rest = rest[0].Member, rest[1:]
		}
	}
	var names []string
	for _, one := range list {
		if one.name == name && name != "" {
			return one.at, rest, nil
		}
		names = append(names, "$return->"+one.name)
	}
	d = &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$return: %s returns %d values: %s", r.site.String(), len(list), suggest.Enumerate(names, 40)),
		Hint: "$return[0] is the first, and $return$ shows all"}
	return nil, nil, d
}

// results writes name=value for each of several results, with text between.
func (p *rendition) results(list []named, before, between string) {
	for i, one := range list {
		if i > 0 {
			p.text(between)
		}
		if p.full {
			break
		}
		if before == "" {
			p.variable(one.name, one.at)
			continue
		}
		p.text(before + one.name + "=")
		p.readable(func(q *rendition) { q.show(one.at, levelsOf(p.r.x.Pretty)-1) })
	}
}
