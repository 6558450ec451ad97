// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"gostap/elaborate/vars"
	"gostap/internal/glob"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	registerProcess(processPLT, true, "plt", "plt.return", "plt(string)", "plt(string).return")
}

// processPLT builds process.plt: a program's calls into libraries, at the stubs of the procedure linkage table.
func processPLT(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	pattern := m.Text("plt")
	if pattern == "" {
		pattern = "*"
	}
	return c.inPrograms(m, func(p *probed) ([]*ProbeSite, *syntax.Diagnostic) {
		stubs, err := p.Stubs()
		if err != nil {
			return nil, m.Errorf("%v", err)
		}
		var sites []*ProbeSite
		var names []string
		for _, stub := range stubs {
			names = append(names, stub.Name)
			if !glob.Match(pattern, stub.Name) {
				continue
			}
			l := vars.Listed{Title: fmt.Sprintf("the stub of %q", stub.Name), Texts: map[string]string{"name": stub.Name}, Addr: stub.Addr}
			if m.Has("return") {
				l.Values = []vars.ListedValue{{Name: "return", X: &program.ReturnValue{At: m.At}}}
			}
			sites = append(sites, p.siteAt(p.spell(".plt(%q)", stub.Name), stub.Name, stub.Addr, c.Listed(l), pattern != stub.Name))
		}
		switch {
		case len(sites) > 0:
			return sites, nil
		case len(stubs) == 0:
			d := m.Errorf("%s has no procedure linkage table", p)
			d.Hint = "it is linked statically, or was compiled with -fno-plt"
			return nil, d
		}
		d := m.Errorf("%s calls no %q of a library through its procedure linkage table", p, pattern)
		if d.Hint = suggest.Hint(pattern, names); d.Hint == "" {
			d.Hint = "it calls " + suggest.Enumerate(names, 20)
		}
		return nil, d
	})
}
