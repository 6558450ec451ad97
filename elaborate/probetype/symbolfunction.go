// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"slices"
	"strings"
	"unicode"

	"gostap/elaborate/executable"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/symbols"
	"gostap/internal/qualified"
	"gostap/translator/syntax"
)

// symbolFunctions finds functions by the program's symbols.
func (c *Context) symbolFunctions(p *probed, pattern string) ([]*ProbeSite, *syntax.Diagnostic) {
	m, functions := p.maker.m, p.Symbols()
	wild := executable.Wild(pattern)
	list := functions.Lookup(pattern)
	if wild {
		list = functions.Glob(pattern)
	} else if len(list) == 0 {
		list = functions.Variants(pattern)
	}
	list, err := demangledFunctions(slices.Clone(list), functions, pattern)
	if err != nil {
		return nil, m.Errorf("%v", err)
	}
	var sites []*ProbeSite
	barred := ""
	for _, f := range onePerAddress(list) {
		if f.IsPart() || strings.Contains(f.Name, ".cold") || unexported(m, &f) {
			continue
		}
		if why := p.Refusal(f.Addr, f.Addr, true); why != "" {
			barred = why
			continue
		}
		site := p.function(f.Base(), f.Addr, wild)
		if why := unreturnable(p.Program, site.Point, f.Addr, uint64(f.Size)); m.Has("return") && why != "" {
			barred = "it " + why
			continue
		}
		sites = append(sites, site)
	}
	switch {
	case len(sites) > 0:
		return sites, nil
	case barred != "":
		return nil, m.Errorf("%q can't be probed: %s", pattern, barred)
	case len(list) > 0 && m.Has("exported"):
		return nil, m.Errorf("function %q is not exported by %s", pattern, p)
	case functions.Count() == 0 && p.alone:
		d := m.Errorf("%s has no symbols and no debuginfo", p)
		_, need := p.Debuginfo().Need(m.At, "", nil)
		if need != nil {
			d.Install = need.Install
		}
		return nil, d
	case wild:
		return nil, m.Errorf("no function of %s matches %q", p, pattern)
	}
	d := m.Errorf("%s has no function %q", p, pattern)
	if p.alone {
		d.Hint = p.nearest(pattern)
	}
	return nil, d
}

// demangledFunctions adds the functions of C++ and Rust whose demangled names match a pattern.
func demangledFunctions(list []symbols.Func, functions *symbols.Functions, pattern string) ([]symbols.Func, error) {
	p, err := probepoint.ParsePattern(pattern)
	if err != nil {
		return nil, err
	}
	if p.Name == "*" {
		return list, nil
	}
	part := longestWord(p.Name)
	for _, f := range functions.Glob("_[ZR]*") {
		if !strings.Contains(f.Name, part) {
			continue
		}
		name := qualified.Name(f.Base())
		if name != f.Base() && (p.Wild() && p.MatchesName(name) || qualified.Called(name, p.Name)) && p.MatchesParams(f.Base()) {
			list = append(list, f)
		}
	}
	return list, nil
}

// spelledOtherwise are identifiers that mangled names abbreviate.
var spelledOtherwise = map[string]bool{"std": true, "string": true, "basic_string": true, "allocator": true, "istream": true, "ostream": true,
	"iostream": true, "basic_istream": true, "basic_ostream": true, "basic_iostream": true, "operator": true, "new": true, "delete": true, "anonymous": true, "namespace": true,
	"impl": true, "closure": true, "unsigned": true, "const": true, "int": true, "long": true, "short": true, "char": true, "bool": true, "float": true, "double": true, "void": true}

// longestWord returns the longest piece of an identifier in a pattern that the mangled name must contain; "" for none.
func longestWord(pattern string) (longest string) {
	if i := strings.IndexByte(pattern, '['); i >= 0 {
		pattern = pattern[:i]
	}
	for _, word := range strings.FieldsFunc(pattern, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) > len(longest) && !spelledOtherwise[word] {
			longest = word
		}
	}
	return longest
}
