// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"

	"gostap/internal/panics"
)

const (
	maxDepth  = 1000  // of nested statements and expressions
	maxChain  = 10000 // operators of one level in a row, else-ifs in a row
	maxErrors = 100   // after which the file's parsing ends
	maxPoints = 10000 // probe points in the expansion of one probe's braces
)

// Parse preprocesses and parses src. It reports as many errors as it finds; the file then contains the
// declarations that could be parsed.
//
// \tsrc := &syntax.Source{Path: "a.stp", Text: text}
// \tfile, diags := syntax.Parse(src, env)
// \tif err := diags.Err(); err != nil { … }
func Parse(src *Source, env *Env) (*File, Diagnostics) {
	begin := Pos{src, 1, 1}
	defer panics.At(&begin)
	p := newParser(src, env)
	defer panics.At(&p.tok.pos)
	f := &File{Source: src}
	for p.tok.kind != tEOF {
		p.declaration(f)
	}
	p.diags.Sort()
	return f, p.diags
}

// A parser has the current token and its context.
type parser struct {
	pp    *preprocessor
	env   *Env
	tok   token
	diags Diagnostics

	depth    int  // of statements and expressions
	heads    int  // of for loops that are being parsed
	function bool // the body is a function's, not a probe's

	printed  Pos  // the first argument of the print being parsed, which may be a histogram
	guruTold bool // missing guru mode has been reported
	errors   int
	lastErr  Pos

	exprs []Expr // of unfinished lists
	stmts []Stmt // of unfinished blocks

	exprLists  lists[Expr]
	stmtLists  lists[Stmt]
	identLists lists[*Ident]
	accesses   lists[Access]

	idents     slab[Ident]
	numbers    slab[NumberLit]
	literals   slab[StringLit]
	binaries   slab[BinaryExpr]
	unaries    slab[UnaryExpr]
	incDecs    slab[IncDecExpr]
	conds      slab[CondExpr]
	ins        slab[InExpr]
	assigns    slab[AssignExpr]
	calls      slab[CallExpr]
	indexes    slab[IndexExpr]
	targets    slab[TargetVar]
	statOps    slab[StatOp]
	atExprs    slab[AtExpr]
	prints     slab[PrintExpr]
	exprStmts  slab[ExprStmt]
	blocks     slab[Block]
	ifs        slab[IfStmt]
	fors       slab[ForStmt]
	foreachs   slab[ForeachStmt]
	returns    slab[ReturnStmt]
	params     slab[Param]
	pointSlab  slab[ProbePoint]
	pointLists lists[*ProbePoint]
	compSlab   slab[Component]
	compLists  lists[*Component]
}

func newParser(src *Source, env *Env) *parser {
	p := &parser{env: env}
	p.pp = newPreprocessor(src, env, &p.diags)
	p.next()
	return p
}

// next reads the next token.
func (p *parser) next() {
	pp := p.pp
	if len(pp.frames) == 1 && !pp.hasBack {
		pp.file.scan(&p.tok)
		if p.tok.kind > tCondClose { // the common case
			return
		}
		p.tok = pp.resolve(p.tok)
	} else {
		p.tok = pp.next()
	}
	for ; ; p.tok = pp.next() {
		if p.tok.kind != tBad {
			return
		}
		if p.tok.text == "" { // the preprocessor has reported it
			p.lastErr = p.tok.pos
			p.errors = max(p.errors, 1)
			return
		}
		p.errorf(p.tok.pos, "%s", p.tok.text)
		if c := p.tok.pos.Source.Text; len(c) > 0 && p.tok.isString() {
			p.tok.kind, p.tok.text = tRaw, ""
			return
		}
	}
}

// isString reports whether the bad token t is an unterminated string.
func (t *token) isString() bool {
	line := t.pos.Source.lineAt(t.pos)
	i := int(t.pos.Col) - 1
	return i < len(line) && line[i] == '"'
}

// A bailout is the panic by which the parser unwinds to a point where it can continue after an error.
type bailout struct{}

// errorf reports an error, but only one for each position.
func (p *parser) errorf(pos Pos, format string, args ...any) *Diagnostic {
	if p.errors > 0 && pos == p.lastErr || p.errors > maxErrors {
		return &Diagnostic{}
	}
	p.lastErr = pos
	if p.errors++; p.errors > maxErrors {
		d := p.diags.Errorf(pos, "too many errors")
		p.giveUp()
		return d
	}
	return p.diags.Errorf(pos, format, args...).reword()
}

// giveUp makes the parser see the end of the file.
func (p *parser) giveUp() {
	p.tok = p.pp.giveUp()
}

// fail reports that something other than the current token was expected, and unwinds.
func (p *parser) fail(hint, format string, args ...any) {
	d := p.errorf(p.tok.pos, "expected %s, found %s", fmt.Sprintf(format, args...), &p.tok)
	d.Hint = hint
	d.rewordAt(p.tok.kind)
	panic(bailout{})
}

// failAt reports an error at pos, and unwinds.
func (p *parser) failAt(pos Pos, format string, args ...any) {
	p.errorf(pos, format, args...)
	panic(bailout{})
}

// got skips the current token if it is of kind k.
func (p *parser) got(k kind) bool {
	if p.tok.kind == k {
		p.next()
		return true
	}
	return false
}

// want skips a token of kind k; where describes its place in messages: "after the condition".
func (p *parser) want(k kind, where string) Pos {
	pos := p.tok.pos
	if p.tok.kind != k {
		p.fail("", "'%s' %s", kindText[k], where)
	}
	p.next()
	return pos
}

// name parses an identifier; what describes it in messages: "a function's name".
func (p *parser) name(what string) (string, Pos) {
	t := p.tok
	if t.kind != tIdent {
		hint := ""
		if t.kind.isKeyword() {
			hint = "'" + t.text + "' is a keyword"
		}
		p.fail(hint, "%s", what)
	}
	p.next()
	return t.text, t.pos
}

// ident takes a variable's name.
func (p *parser) ident(what string) *Ident {
	name, pos := p.name(what)
	x := p.idents.new()
	x.At, x.Name = pos, name
	return x
}

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.errorf(p.tok.pos, "statements and expressions are nested more than %d deep", maxDepth)
		p.giveUp()
		panic(bailout{})
	}
}

func (p *parser) leave() { p.depth-- }

// chain counts one more operator of a chain.
func (p *parser) chain(n *int) {
	if *n++; *n > maxChain {
		p.errorf(p.tok.pos, "more than %d operators in a row", maxChain)
		p.giveUp()
		panic(bailout{})
	}
}
