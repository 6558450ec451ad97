// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// Precedence of the binary operators; 0 is none.
const (
	precOrOr = 1 + iota
	precAndAnd
	precOr
	precXor
	precAnd
	precIn
	precCompare
	precShift
	precCat
	precAdd
	precMul
	precUnary
)

var precedence = [kindCount]uint8{
	tOrOr: precOrOr, tAndAnd: precAndAnd, tOr: precOr, tXor: precXor, tAnd: precAnd,
	tIn:   precIn,
	tLess: precCompare, tGreater: precCompare, tLessEq: precCompare, tGreaterEq: precCompare,
	tEq: precCompare, tNotEq: precCompare, tMatch: precCompare, tNotMatch: precCompare,
	tShl: precShift, tShr: precShift, tShrU: precShift,
	tDot: precCat, tAdd: precAdd, tSub: precAdd,
	tMul: precMul, tDiv: precMul, tMod: precMul,
}

// atExpr reports whether the current token may begin an expression.
func (p *parser) atExpr() bool {
	switch p.tok.kind {
	case tIdent, tDollar, tNumber, tString, tRaw, tEmbedded, tAt,
		tLParen, tLBrack, tInc, tDec, tNot, tTilde, tAdd, tSub, tAnd:
		return true
	}
	return false
}

// expr parses an expression.
func (p *parser) expr() Expr {
	p.enter()
	x := p.binary(precOrOr)
	if p.tok.kind == tQuestion {
		x = p.alternatives(x)
	}
	if k := p.tok.kind; k >= tAssign && k <= tAggregate {
		n := p.assigns.new()
		n.At, n.Op, n.X = p.tok.pos, kindText[k], x
		p.next()
		n.Y = p.expr()
		x = n
	}
	p.leave()
	return x
}

// alternatives parses the rest of cond ? then : else, behind the condition.
func (p *parser) alternatives(cond Expr) Expr {
	p.enter()
	x := p.conds.new()
	x.At, x.Cond = p.tok.pos, cond
	p.next()
	x.Then = p.expr()
	p.want(tColon, "after the first alternative of '?'")
	if v := p.env.StapVersion; v != "" && CompareVersions(v, "4.0") < 0 {
		x.Else = p.expr() // --compatible=3.3: the alternative may be an assignment
		p.leave()
		return x
	}
	x.Else = p.binary(precOrOr)
	if p.tok.kind == tQuestion {
		x.Else = p.alternatives(x.Else)
	}
	p.leave()
	return x
}

// binary parses operators of at least the precedence min; all are left-associative, but 'in' and matches
// can't be the left operand of an operator of higher precedence.
func (p *parser) binary(min uint8) Expr {
	var x Expr
	limit := uint8(precMul)
	if p.tok.kind == tLBrack && min <= precIn {
		x = p.membership()
		limit = precAnd
	} else {
		x = p.unary()
	}
	compared, matched := false, false // what x is
	for n := 0; ; p.chain(&n) {
		k := p.tok.kind
		prec := precedence[k]
		if prec < min || prec == 0 || prec > limit {
			return x
		}
		at := p.tok.pos
		if prec == precCompare && (matched || compared && (k == tMatch || k == tNotMatch)) {
			p.failAt(at, "matches and comparisons are operands of '%s' in parentheses only", kindText[k])
		}
		limit, matched = precMul, false
		switch k {
		case tIn:
			x = p.inArray(append(p.exprLists.take(1), x))
			limit = precAnd
			continue
		case tMatch, tNotMatch:
			p.next()
			x = &MatchExpr{At: at, Not: k == tNotMatch, X: x, Regex: p.regex()}
			limit, matched = precCompare, true
			continue
		}
		compared = prec == precCompare
		p.next()
		b := p.binaries.new()
		b.At, b.Op, b.X = at, kindText[k], x
		b.Y = p.binary(prec + 1)
		x = b
	}
}

func (p *parser) regex() *StringLit {
	if p.tok.kind != tString && p.tok.kind != tRaw {
		p.fail("", "a regular expression in quotes")
	}
	re := p.stringLit()
	if p.tok.kind == tDot {
		p.failAt(p.tok.pos, "a regular expression must be one literal, found '.'")
	}
	return re
}

// membership parses [x, *] in array.
func (p *parser) membership() Expr {
	index := p.index()
	if p.tok.kind != tIn {
		p.fail("", "'in' after the list in brackets")
	}
	return p.inArray(index)
}

func (p *parser) inArray(index []Expr) Expr {
	x := p.ins.new()
	x.At, x.Index = p.tok.pos, index
	p.next()
	if p.tok.kind != tAt || !isHistogram(p.tok.text) {
		x.Array = p.ident("an array's name after 'in'")
		return x
	}
	x.Array = p.statOp()
	if len(index) != 1 || index[0] == nil {
		p.errorf(x.At, "a histogram has one index")
	}
	return x
}

// index parses [x, *, …]; * becomes nil.
func (p *parser) index() []Expr {
	p.next()
	base := len(p.exprs)
	for {
		if p.tok.kind == tMul {
			p.next()
			p.exprs = append(p.exprs, nil)
		} else {
			x := p.expr()
			p.exprs = append(p.exprs, x)
		}
		if p.got(tRBrack) {
			return p.takeExprs(base)
		}
		if !p.got(tComma) {
			p.fail("", "',' or ']' after the index")
		}
	}
}

// takeExprs moves the expressions above base into a list.
func (p *parser) takeExprs(base int) []Expr {
	list := p.exprLists.copy(p.exprs[base:])
	p.exprs = p.exprs[:base]
	return list
}

// unary parses prefix operators.
func (p *parser) unary() Expr {
	k := p.tok.kind
	switch k {
	case tAdd, tSub, tNot, tTilde:
		p.enter()
		x := p.unaries.new()
		x.At, x.Op = p.tok.pos, kindText[k]
		p.next()
		x.X = p.unary()
		p.leave()
		return x
	case tInc, tDec:
		x := p.incDecs.new()
		x.At, x.Op = p.tok.pos, kindText[k]
		p.next()
		x.X = p.operand()
		return x
	}
	x := p.operand()
	if p.tok.kind == tInc || p.tok.kind == tDec {
		i := p.incDecs.new()
		i.At, i.Op, i.Post, i.X = p.tok.pos, kindText[p.tok.kind], true, x
		x = i
		p.next()
	}
	return x
}

// operand parses a value and the -> and [ ] that follow it, with & before it.
func (p *parser) operand() Expr {
	if p.tok.kind != tAnd {
		x := p.value()
		switch p.tok.kind {
		case tArrow, tLBrack, tDollar:
			return p.accessed(x)
		}
		return x
	}
	at := p.tok.pos
	p.next()
	x := p.accessed(p.value())
	t, ok := x.(*TargetVar)
	if !ok {
		switch x.(type) {
		case *NumberLit, *StringLit, *StatOp, *PrintExpr, *EmbeddedExpr:
			p.failAt(at, "'&' takes the address of a variable or of what '->' and '[ ]' lead to")
		}
		t = p.targets.new()
		t.Kind, t.X = AutoCast, x
	}
	if t.Addr {
		p.failAt(at, "'&' before an address")
	}
	if t.Pretty > 0 {
		p.failAt(at, "'&' can't be combined with a '$' behind the variable")
	}
	t.Addr = true
	t.At = at
	return t
}

// value parses an operand of operators.
func (p *parser) value() Expr {
	switch p.tok.kind {
	case tIdent:
		return p.named()
	case tNumber:
		return p.number()
	case tString, tRaw:
		return p.stringLit()
	case tLParen:
		p.next()
		x := p.expr()
		p.want(tRParen, "after the expression in parentheses")
		if p.tok.kind == tArrow || p.tok.kind == tLBrack || p.dollars() {
			return p.autoCast(x)
		}
		return x
	case tDollar:
		return p.dollar()
	case tAt:
		return p.at()
	case tEmbedded:
		return &EmbeddedExpr{Code: p.embedded("embedded expression code")}
	}
	hint := ""
	if p.tok.kind.isKeyword() {
		hint = "'" + p.tok.text + "' is a keyword"
	}
	p.fail(hint, "an expression")
	return nil
}

func (p *parser) number() *NumberLit {
	n := p.numbers.new()
	n.At = p.tok.pos
	v, err := parseNumber(p.tok.text)
	if err != nil {
		p.errorf(p.tok.pos, "%s", err).InStap("number invalid or out of range")
	}
	n.Value = v
	p.next()
	return n
}

// stringLit parses a string literal, and joins it with adjacent ones.
func (p *parser) stringLit() *StringLit {
	s := p.literals.new()
	s.At = p.tok.pos
	s.Value = p.piece()
	if p.tok.kind != tString && p.tok.kind != tRaw {
		return s
	}
	var b strings.Builder
	b.WriteString(s.Value)
	for p.tok.kind == tString || p.tok.kind == tRaw {
		b.WriteString(p.piece())
	}
	s.Value = b.String()
	return s
}

func (p *parser) piece() string {
	s := p.tok.text
	if p.tok.kind == tString {
		s = unquote(s)
	}
	p.next()
	return s
}

// named parses an expression that begins with a name: a variable, an element, a call.
func (p *parser) named() Expr {
	name, at := p.tok.text, p.tok.pos
	p.next()
	if isPrint(name) {
		return p.print(name, at)
	}
	switch p.tok.kind {
	case tLParen:
		c := p.calls.new()
		c.At, c.Name = at, name
		p.next()
		c.Args = p.args()
		return c
	case tLBrack:
		i := p.indexes.new()
		x := p.idents.new()
		x.At, x.Name = at, name
		i.At, i.X = at, x
		i.Index = p.index()
		return i
	}
	x := p.idents.new()
	x.At, x.Name = at, name
	return x
}

// args parses arguments up to and with the closing parenthesis.
func (p *parser) args() []Expr {
	if p.got(tRParen) {
		return nil
	}
	base := len(p.exprs)
	for {
		x := p.expr()
		p.exprs = append(p.exprs, x)
		if p.got(tRParen) {
			return p.takeExprs(base)
		}
		if !p.got(tComma) {
			p.fail("", "',' or ')' after the argument")
		}
	}
}
