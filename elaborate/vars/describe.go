// SPDX-License-Identifier: GPL-2.0-or-later

package vars

// A Variable is a target variable, and whether it has a value at the site.
type Variable struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Param  bool     `json:"param,omitempty"`
	Here   bool     `json:"here"`
	Entry  bool     `json:"entry,omitempty"`  // its value is that of the function's entry, where a second probe saves it
	Why    string   `json:"why,omitempty"`    // why it has no value
	Ranges []string `json:"ranges,omitempty"` // addresses at which it has a value; none: by Here, the whole function or nowhere
}

// List returns the target variables that have values: the parameters, and the
// result at a return.
func (v *Resolver) List() []Variable {
	if l, ok := v.site.(*listed); ok {
		return l.variables()
	}
	p, _ := v.site.prototype()
	if p == nil {
		return v.listScope()
	}
	types, err := v.site.types()
	if err != nil {
		return nil
	}
	var list []Variable
	if v.atReturn && types.Strip(p.Result) != 0 {
		list = append(list, Variable{Name: "return", Type: types.String(p.Result), Here: true})
	}
	for _, param := range p.Params {
		if param.Name != "" {
			list = append(list, Variable{Name: param.Name, Type: types.String(param.Type), Here: true})
		}
	}
	return list
}

// listScope is List by debuginfo.
func (v *Resolver) listScope() []Variable {
	s := v.site.scope()
	if s == nil {
		return nil
	}
	list := v.result(s)
	for _, one := range s.Variables() {
		if v.atReturn && !one.Param {
			continue
		}
		if _, err := one.Location(); err == nil {
			list = append(list, Variable{Name: one.Name, Type: s.Info.Types().String(one.Type), Param: one.Param, Here: true})
		}
	}
	return list
}

// result lists $return by debuginfo, if the site has one.
func (v *Resolver) result(s *scope) (list []Variable) {
	types := s.Info.Types()
	if results := s.Results(); v.atReturn && len(results) > 0 {
		for _, one := range results {
			name := "return"
			if len(results) > 1 {
				name += "->" + resultName(one)
			}
			list = append(list, Variable{Name: name, Type: types.String(one.Type), Here: true})
		}
		return list
	}
	if v.atReturn && types.Strip(s.Result()) != 0 {
		list = append(list, Variable{Name: "return", Type: types.String(s.Result()), Here: true})
	}
	return list
}

// Describe returns all variables of debuginfo, or else of BTF, also those
// without a value.
func (v *Resolver) Describe() []Variable {
	s := v.site.scope()
	if s == nil {
		return v.List()
	}
	list := v.result(s)
	for _, one := range s.Variables() {
		described := Variable{Name: one.Name, Type: s.Info.Types().String(one.Type), Param: one.Param}
		loc, err := one.Location()
		described.Here = err == nil
		described.Entry = err == nil && loc.AtEntry()
		if err != nil {
			described.Why = err.Error()
		}
		ranges, _ := one.Ranges()
		for _, r := range ranges {
			described.Ranges = append(described.Ranges, s.spell(r))
		}
		list = append(list, described)
	}
	return list
}
