// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "slices"

// Words behind @ that the parser knows.
var (
	statOps = []string{"count", "sum", "min", "max", "avg", "variance", "hist_log", "hist_linear"}
	atOps   = []string{"defined", "entry", "perf", "const", "probewrite", "kderef", "uderef", "kregister", "uregister", "var", "cast",
		"enum", "enumname", "module"}
)

func isAtWord(name string) bool { return isStatOp(name) || slices.Contains(atOps, name) }

func isStatOp(name string) bool { return slices.Contains(statOps, name) }

func isHistogram(name string) bool { return name == "hist_log" || name == "hist_linear" }

// at parses an expression that begins with @word, which is no macro's name.
func (p *parser) at() Expr {
	word := p.tok
	switch {
	case isStatOp(word.text):
		op := p.statOp()
		if !isHistogram(op.Op) {
			return op
		}
		if op.At == p.printed && p.tok.kind == tRParen {
			return op
		}
		if p.tok.kind != tLBrack {
			p.failAt(op.At, "a histogram can only be printed, indexed, iterated over or asked by 'in'")
		}
		x := p.indexes.new()
		x.At, x.X, x.Index = op.At, op, p.index()
		if len(x.Index) != 1 || x.Index[0] == nil {
			p.errorf(op.At, "a histogram has one index")
		}
		return x
	case word.text == "cast":
		return p.cast()
	case word.text == "var":
		return p.atVar()
	}
	p.next()
	if !isAtWord(word.text) && (p.env.Macros != nil || p.tok.kind != tLParen) {
		p.unknownWord(word)
	}
	if p.tok.kind != tLParen {
		p.fail("", "'(' after '@%s'", word.text)
	}
	switch word.text {
	case "const", "kderef", "uderef", "kregister", "uregister":
		at := p.tok
		p.tok.pos = word.pos
		p.guruOnly("'@"+word.text+"'", "using @"+word.text+" operator not permitted")
		p.tok = at
	}
	p.next()
	x := p.atExprs.new()
	x.At, x.Op = word.pos, word.text
	x.Args = p.args()
	p.checkArgs(x)
	if name, ok := onlyString(x.Args); ok && x.Op == "const" {
		return &EmbeddedExpr{Code: &EmbeddedC{At: x.At, Text: "/* pure */ /* unprivileged */ /* stable */ " + name}}
	}
	return x
}

func onlyString(args []Expr) (string, bool) {
	if len(args) != 1 {
		return "", false
	}
	s, ok := args[0].(*StringLit)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// unknownWord reports an @word that is neither a macro nor an operator. If it has arguments, parsing
// continues behind them.
func (p *parser) unknownWord(word token) {
	known := append(append([]string{}, statOps...), atOps...)
	for name := range p.pp.local {
		known = append(known, name)
	}
	known = append(known, p.env.Macros.Names()...)
	d := p.errorf(word.pos, "unknown macro or operator '@%s'", clip(word.text)).InStap("unknown operator @%s", clip(word.text))
	d.Hint = didYouMean(word.text, known, "@")
	if p.tok.kind != tLParen {
		panic(bailout{})
	}
}

// atArity is the number of arguments of the operators.
var atArity = map[string]int{
	"defined": 1, "entry": 1, "perf": 1, "const": 1, "probewrite": 1,
	"kderef": 2, "uderef": 2, "kregister": 1, "uregister": 1,
}

func (p *parser) checkArgs(x *AtExpr) {
	n, ok := atArity[x.Op]
	if ok && len(x.Args) != n {
		d := p.errorf(x.At, "'@%s' takes %s, found %d", x.Op, plural(n, "argument"), len(x.Args))
		if len(x.Args) == 0 {
			d.InStap("expected literal string or number")
		}
		return
	}
	switch x.Op {
	case "const", "perf":
		if _, ok := x.Args[0].(*StringLit); !ok {
			p.errorf(x.Args[0].Pos(), "expected a string as the argument of '@%s'", x.Op)
		}
	}
}

// statOp parses @count(x), @hist_linear(x, 0, 10, 1) and the like.
func (p *parser) statOp() *StatOp {
	op := p.statOps.new()
	op.At, op.Op = p.tok.pos, p.tok.text
	p.next()
	if p.tok.kind != tLParen {
		p.fail("", "'(' after '@%s'", op.Op)
	}
	p.next()
	op.X = p.expr()
	switch x := op.X.(type) {
	case *Ident:
	case *IndexExpr:
		if _, ok := x.X.(*Ident); !ok {
			p.errorf(x.At, "'@%s' takes a variable or an element of an array", op.Op)
		}
	default:
		p.errorf(op.X.Pos(), "'@%s' takes a variable or an element of an array", op.Op)
	}
	for p.got(tComma) {
		pos := p.tok.pos
		n, ok := p.literal("a number as a parameter of '@%s'", op.Op).(*NumberLit)
		if !ok {
			p.failAt(pos, "expected a number as a parameter of '@%s'", op.Op)
		}
		op.Params = append(op.Params, n.Value)
	}
	if p.tok.kind != tRParen {
		p.fail("", "')' after the arguments of '@%s'", op.Op)
	}
	p.next()
	p.checkParams(op)
	return op
}

// checkParams checks the numbers behind a statistic's variable.
func (p *parser) checkParams(op *StatOp) {
	n := len(op.Params)
	switch {
	case op.Op == "hist_linear" && n != 3:
		p.errorf(op.At, "'@hist_linear' takes a variable, the lowest and the highest value and the interval, found %s", plural(n+1, "argument")).InStap("expected ','")
	case op.Op == "variance" && n > 1:
		p.errorf(op.At, "'@variance' takes a variable and the bit shift, found %s", plural(n+1, "argument"))
	case op.Op == "variance" && n == 1 && (op.Params[0] < 0 || op.Params[0] > 62):
		p.errorf(op.At, "the bit shift of '@variance' must be from 0 to 62")
	case op.Op != "hist_linear" && op.Op != "variance" && n > 0:
		d := p.errorf(op.At, "'@%s' takes 1 argument, found %d", op.Op, n+1).InStap("not more than 1 parameter allowed")
		if isHistogram(op.Op) {
			d.InStap("expected ')'")
		}
	}
}

// cast parses @cast(x, "type", "module").
func (p *parser) cast() Expr {
	t := p.targets.new()
	t.At, t.Kind = p.tok.pos, AtCast
	p.next()
	p.want(tLParen, "after '@cast'")
	t.X = p.expr()
	p.want(tComma, "after the first argument of '@cast'")
	t.Name = p.quoted("a type's name in quotes")
	if p.got(tComma) {
		t.Module = p.quoted("a module's name in quotes")
	}
	p.want(tRParen, "after the arguments of '@cast'")
	return t
}

// atVar parses @var("name", "module").
func (p *parser) atVar() Expr {
	t := p.targets.new()
	t.At, t.Kind = p.tok.pos, AtVar
	p.next()
	p.want(tLParen, "after '@var'")
	t.Name = p.quoted("a variable's name in quotes")
	if p.got(tComma) {
		t.Module = p.quoted("a module's name in quotes")
	}
	p.want(tRParen, "after the arguments of '@var'")
	return t
}

// quoted parses a string literal.
func (p *parser) quoted(what string) string {
	if p.tok.kind != tString && p.tok.kind != tRaw {
		p.fail("", "%s", what)
	}
	return p.stringLit().Value
}
