// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"fmt"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// displayGlobals adds an end probe for each of the user's globals that is written, but never read: it
// prints the global's value.
func (c *checker) displayGlobals() {
	c.countAll()
	for _, g := range c.globals {
		if g.user && !g.badArity && g.reads == 0 && g.writes > 0 && g.arity != unknownArity {
			p := c.lowerProbe(c.displayProbe(g))
			c.countProbe(p)
			c.probes = append(c.probes, p)
		}
	}
	c.findPure()
}

// displayProbe makes the probe that prints g:
//
// \tprobe end { print("g=", g, "
// ") }
// \tprobe end { foreach (v = [k1, k2] in g-) print("g[", k1, ",", k2, "]=", v, "
// ") }
//
// and for statistics count, min, max, sum and avg.
func (c *checker) displayProbe(g *global) *program.ElaboratedProbe {
	at := g.At
	name := g.decl.Name
	id := func(name string) *syntax.Ident { return &syntax.Ident{At: at, Name: name} }
	str := func(s string) syntax.Expr { return &syntax.StringLit{At: at, Value: s} }
	line := func(args ...syntax.Expr) syntax.Stmt {
		p := &syntax.PrintExpr{At: at, Name: "println", Args: args}
		c.display[p] = true
		return &syntax.ExprStmt{X: p}
	}
	figures := func(args []syntax.Expr, x syntax.Expr) []syntax.Expr {
		for _, op := range []string{"count", "min", "max", "sum", "avg"} {
			args = append(args, str(" @"+op+"="), &syntax.StatOp{At: at, Op: op, X: x})
		}
		return args
	}
	var body syntax.Stmt
	switch {
	case g.arity == 0 && g.aggregated:
		body = &syntax.IfStmt{
			At:   at,
			Cond: &syntax.StatOp{At: at, Op: "count", X: id(name)},
			Then: line(figures([]syntax.Expr{str(name)}, id(name))...),
			Else: line(str(name + " @count=0x0")),
		}
	case g.arity == 0:
		body = line(str(name+"="), id(name))
	default:
		loop := &syntax.ForeachStmt{At: at, Array: id(name), SortDir: -1}
		args := []syntax.Expr{str(name + "[")}
		elem := &syntax.IndexExpr{At: at, X: id(name)}
		for i := range g.arity {
			key := id(fmt.Sprintf("__key%d", i+1))
			if i > 0 {
				args = append(args, str(","))
			}
			args = append(args, key)
			loop.Keys = append(loop.Keys, key)
			elem.Index = append(elem.Index, key)
		}
		if g.aggregated {
			args = figures(append(args, str("]")), elem)
		} else {
			loop.Value = id("__value")
			args = append(args, str("]="), loop.Value)
		}
		loop.Body = line(args...)
		body = loop
	}
	return &program.ElaboratedProbe{
		At:     at,
		Name:   "end",
		Points: []*program.Point{{At: at, Family: "end", Name: "end", Cold: true}},
		Bodies: []*syntax.Block{{At: at, Stmts: []syntax.Stmt{body}}},
	}
}
