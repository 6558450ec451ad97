// SPDX-License-Identifier: GPL-2.0-or-later

package emittest

import (
	"fmt"
	"strings"

	"gostap/translator/check"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Translate turns a script whose probes are those of the host runtime into a program. The script may
// call the functions in library.
func Translate(script string, library ...string) (*program.Program, error) {
	env := &syntax.Env{Guru: true, Runtime: "host"}
	e := &program.Elaborated{Values: map[syntax.Expr]*program.Value{}}
	for i, text := range append([]string{script}, library...) {
		src := &syntax.Source{Path: "x.stp", Text: []byte(text)}
		if i > 0 {
			src.Path, src.Origin = fmt.Sprintf("library%d.stp", i), syntax.Tapset
		}
		f, diags := syntax.Parse(src, env)
		if err := diags.Err(); err != nil {
			return nil, err
		}
		e.Files = append(e.Files, f)
	}
	for _, d := range e.Files[0].Decls {
		pr, ok := d.(*syntax.ProbeDecl)
		if !ok {
			continue
		}
		ep, err := elaborate(pr)
		if err != nil {
			return nil, err
		}
		e.Probes = append(e.Probes, ep)
	}
	p, diags := check.Check(e, check.Options{
		Guru:    true,
		Builtin: func(s *syntax.Source) bool { return s.Origin == syntax.Tapset },
	})
	return p, diags.Err()
}

func elaborate(pr *syntax.ProbeDecl) (*program.ElaboratedProbe, error) {
	ep := &program.ElaboratedProbe{At: pr.At, Bodies: []*syntax.Block{pr.Body}, Values: map[syntax.Expr]*program.Value{}}
	var names []string
	for _, pp := range pr.Points {
		pt, err := point(pp)
		if err != nil {
			return nil, err
		}
		names = append(names, pt.Name)
		ep.Points = append(ep.Points, pt)
		if pp.Cond != nil {
			ep.Conds = append(ep.Conds, pp.Cond)
		}
	}
	ep.Name = strings.Join(names, ", ")
	return ep, nil
}

var units = map[string]int64{"s": 1e9, "sec": 1e9, "ms": 1e6, "msec": 1e6, "us": 1e3, "usec": 1e3, "ns": 1}

// point resolves begin, end, error, never, timer.UNIT(n), and hot.UNIT(n): a timer that is treated like
// a point that fires often.
func point(pp *syntax.ProbePoint) (*program.Point, error) {
	var name []string
	var arg int64
	for _, c := range pp.Components {
		text := c.Name
		if n, ok := c.Arg.(*syntax.NumberLit); ok {
			arg = n.Value
			text += fmt.Sprintf("(%d)", arg)
		}
		name = append(name, text)
	}
	pt := &program.Point{At: pp.At, Family: pp.Components[0].Name, Name: strings.Join(name, "."), Cold: true}
	pt.Args[0] = arg
	switch pt.Family {
	case "begin", "end", "error", "never":
		return pt, nil
	case "timer", "hot":
		if len(pp.Components) == 2 && units[pp.Components[1].Name] > 0 {
			pt.Args[0] *= units[pp.Components[1].Name]
			pt.Cold = pt.Family == "timer"
			pt.Family = "timer"
			return pt, nil
		}
	}
	return nil, fmt.Errorf("%s: the host has no probe point %s", pp.At, pt.Name)
}
