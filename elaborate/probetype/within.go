// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/internal/glob"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// within finds labels and callees in functions: .label("NAME"), .callee("NAME") and .callees.
func (c *Context) within(im *image.Source, functions []dwarf.Func, maker *siteMaker, text string) ([]*ProbeSite, *syntax.Diagnostic) {
	m := maker.m
	depth := m.Number("callees", 1)
	if depth < 1 || depth > maxDepth {
		return nil, m.Errorf("callees(%d): the depth must be from 1 to %d", depth, maxDepth)
	}
	find := newFinder(c, maker, im)
	var near []string
	for _, f := range functions {
		for _, in := range f.Instances() {
			var err error
			var names []string
			if m.Has("label") {
				names, err = find.labels(in)
			} else {
				names, err = find.callees(in, &caller{of: in.Func}, depth)
			}
			switch {
			case errors.Is(err, errCallees):
				return nil, m.Errorf("%q: %v", text, err)
			case err != nil:
				return nil, m.Errorf("%s: %v", im.Info.Path(), err)
			}
			near = append(near, names...)
		}
	}
	if len(find.sites) > 0 {
		return find.found(), nil
	}
	if len(find.refused) > 0 || len(find.barred) > 0 {
		return nil, find.none(text, len(functions))
	}
	what := "calls no function of a name that matches, or not in a way that can be told"
	if m.Has("label") {
		what = "has no label with code behind it that matches"
	}
	d := m.Errorf("%q %s", text, what)
	if len(near) > 0 {
		d.Hint = "there is " + suggest.Enumerate(near, 20)
	}
	return nil, d
}

// labels adds the labels of an instance, and returns the names of all.
func (p *pointFinder) labels(in dwarf.Instance) (names []string, err error) {
	list, err := p.image.Info.Labels(in)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		names = append(names, l.Name)
		if !glob.Match(p.maker.m.Text("label"), l.Name) {
			continue
		}
		if a, ok := p.around(in); ok && p.allows(in, a, l.Addr) {
			at := in.Func
			if l.Line > 0 {
				at.Line = l.Line
			}
			p.sites = append(p.sites, p.site(in, a, l.Addr, p.name(at, fmt.Sprintf(".label(%q)", l.Name))))
		}
	}
	return names, nil
}
