// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// ParseProbePoint parses a probe point or a comma-separated list of them, such as the pattern of -l and
// -L. Braces are expanded.
//
// \tpoints, diags := syntax.ParseProbePoint(`kernel.function("vfs_*")`, env)
func ParseProbePoint(text string, env *Env) (points []*ProbePoint, diags Diagnostics) {
	p := newParser(&Source{Path: "<probe point>", Text: []byte(text)}, env)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			points = nil
		}
		diags = p.diags
	}()
	points = p.points()
	if p.tok.kind != tEOF {
		p.fail("", "the end of the probe point")
	}
	return points, nil
}

// points parses a comma-separated list of probe points.
func (p *parser) points() []*ProbePoint {
	e := pointExpander{parser: p}
	return e.list()
}

// A pointExpander expands the braces of a list of probe points.
type pointExpander struct {
	*parser
	made int // number of points so far
	size int // number of components in them
}

func (e *pointExpander) list() []*ProbePoint {
	var list []*ProbePoint
	for {
		sequence := e.sequence()
		if list == nil {
			list = sequence
		} else {
			list = append(list, sequence...)
		}
		if !e.got(tComma) {
			return list
		}
	}
}

// sequence parses component.component… and its marks.
func (e *pointExpander) sequence() []*ProbePoint {
	e.enter()
	start := e.tok.pos
	first := e.pointSlab.new()
	first.At = start
	first.Components = e.compLists.take(3)
	list := append(e.pointLists.take(1), first)
	for {
		if e.tok.kind == tLBrace {
			list = e.braces(list)
		} else {
			c := e.component()
			for _, pt := range list {
				e.mustEnd(pt)
				pt.Components = append(pt.Components, c)
			}
			e.count(0, len(list))
		}
		if !e.got(tDot) {
			break
		}
	}
	e.marks(list)
	e.leave()
	return list
}

// mustEnd reports a mark or condition that is not at the end.
func (e *pointExpander) mustEnd(pt *ProbePoint) {
	if pt.Optional || pt.Cond != nil {
		e.failAt(pt.At, "'?', '!' and conditions may stand only at the end of a probe point")
	}
}

// braces parses {sequence, …} and appends each to each point of list.
func (e *pointExpander) braces(list []*ProbePoint) []*ProbePoint {
	open := e.tok.pos
	e.next()
	tails := e.list()
	if e.tok.kind != tRBrace {
		e.fail("", "',' or '}' in the list of probe points")
	}
	e.next()
	e.count(len(list)*len(tails), 0)
	product := make([]*ProbePoint, 0, len(list)*len(tails))
	for _, pt := range list {
		e.mustEnd(pt)
		for _, tail := range tails {
			n := e.pointSlab.new()
			*n = *tail
			n.At = pt.At
			if len(pt.Components) == 0 {
				n.At = open
			}
			n.Components = append(pt.Components[:len(pt.Components):len(pt.Components)], tail.Components...)
			e.count(0, len(n.Components))
			product = append(product, n)
		}
	}
	return product
}

// count bounds the expansion of braces.
func (e *pointExpander) count(points, components int) {
	e.made += points
	e.size += components
	if e.made > maxPoints || e.size > 100*maxPoints && e.made > 0 {
		e.failAt(e.tok.pos, "the braces expand to more than %d probe points", maxPoints)
	}
}

// component parses one name with wildcards and its argument.
func (e *pointExpander) component() *Component {
	c := e.compSlab.new()
	c.At = e.tok.pos
	c.Name = e.componentName()
	if e.tok.kind == tLParen {
		e.next()
		c.Arg = e.literal("a number or a string as the argument of '%s'", c.Name)
		if e.tok.kind != tRParen {
			e.fail("", "')' after the argument of '%s'", c.Name)
		}
		e.next()
	}
	return c
}

// componentName joins adjacent words and stars.
func (e *pointExpander) componentName() string {
	first := e.tok
	if first.kind != tIdent && first.kind != tMul && !first.kind.isKeyword() {
		e.fail("", "a probe point: a name, '*' or '{'")
	}
	name := first.text
	if first.kind == tMul {
		name = "*"
	}
	e.next()
	var joined []string
	for !e.tok.spaced && (e.tok.kind == tIdent || e.tok.kind == tNumber || e.tok.kind == tMul || e.tok.kind.isKeyword()) {
		if e.tok.kind == tMul {
			joined = append(joined, "*")
		} else {
			joined = append(joined, e.tok.text)
		}
		e.next()
	}
	if joined == nil {
		return name
	}
	return name + strings.Join(joined, "")
}

// marks parses ? or !, and if (condition), and sets them for all of list.
func (e *pointExpander) marks(list []*ProbePoint) {
	optional := e.tok.kind == tQuestion || e.tok.kind == tNot
	sufficient := e.tok.kind == tNot
	if optional {
		e.next()
	}
	var cond Expr
	if e.tok.kind == tIf {
		e.next()
		e.want(tLParen, "after 'if'")
		cond = e.expr()
		e.want(tRParen, "after the condition")
	}
	for _, pt := range list {
		pt.Optional = pt.Optional || optional
		pt.Sufficient = pt.Sufficient || sufficient
		if cond != nil && pt.Cond != nil {
			e.failAt(cond.Pos(), "the probe point has two conditions")
		}
		if cond != nil {
			pt.Cond = cond
		}
	}
}
