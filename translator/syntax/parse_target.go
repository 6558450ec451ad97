// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// dollar parses $name and $$name; one or two $ behind the name request pretty-printing.
func (p *parser) dollar() Expr {
	t := p.targets.new()
	t.At = p.tok.pos
	text := p.tok.text[1:]
	name := strings.TrimRight(text, "$")
	if name == "" {
		p.fail("", "an expression")
	}
	t.Name = name
	t.Pretty = p.pretty(len(text) - len(name))
	p.next()
	return t
}

// pretty checks the number of $ behind a target variable.
func (p *parser) pretty(n int) int {
	if n > 2 {
		p.errorf(p.tok.pos, "more than two '$' behind a variable")
		n = 2
	}
	return n
}

// accessed parses the -> and [ ] that follow x.
func (p *parser) accessed(x Expr) Expr {
	t, ok := x.(*TargetVar)
	if !ok {
		if p.tok.kind == tArrow {
			return p.autoCast(x)
		}
		if p.tok.kind == tLBrack || p.dollars() {
			switch x := x.(type) {
			case *CallExpr, *IndexExpr:
				return p.autoCast(x)
			}
		}
		return x
	}
	if t.Addr { // (&x)->m is not a member of x
		if p.tok.kind == tArrow || p.tok.kind == tLBrack || p.dollars() {
			return p.autoCast(x)
		}
		return x
	}
	for n := 0; ; p.chain(&n) {
		switch p.tok.kind {
		case tArrow, tLBrack:
			if t.Pretty > 0 {
				p.failAt(p.tok.pos, "'$' behind a variable ends it, found %s", &p.tok)
			}
			p.access(t)
		case tDollar:
			if !p.dollars() || t.Pretty > 0 {
				return t
			}
			t.Pretty = p.pretty(len(p.tok.text))
			p.next()
		default:
			return t
		}
	}
}

// dollars reports whether $ or $$ directly follows the last token.
func (p *parser) dollars() bool {
	return p.tok.kind == tDollar && strings.Trim(p.tok.text, "$") == "" && !p.tok.spaced
}

// autoCast parses the accesses behind an expression whose type is to be inferred.
func (p *parser) autoCast(x Expr) Expr {
	t := p.targets.new()
	t.At, t.Kind, t.X = x.Pos(), AutoCast, x
	return p.accessed(t)
}

// access parses one ->member or [index].
func (p *parser) access(t *TargetVar) {
	a := Access{At: p.tok.pos}
	if p.got(tArrow) {
		name := p.tok
		switch {
		case name.kind == tIdent || name.kind.isKeyword():
			a.Member = strings.TrimRight(name.text, "$")
			t.Pretty = p.pretty(len(name.text) - len(a.Member))
		case name.kind == tDollar && strings.Trim(name.text, "$") == "": // $x->$ is $x$
			t.Pretty = p.pretty(len(name.text))
			p.next()
			return
		default:
			p.fail("", "a member's name after '->'")
		}
		p.next()
	} else {
		p.next()
		a.Index = p.expr()
		p.want(tRBrack, "after the index")
	}
	if len(t.Access) == 0 {
		t.Access = p.accesses.take(2)
	}
	t.Access = append(t.Access, a)
}
