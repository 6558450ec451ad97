// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// block parses { statements }.
func (p *parser) block() *Block {
	b := p.blocks.new()
	b.At = p.want(tLBrace, "before a block")
	base := len(p.stmts)
	for {
		done := p.statements(base)
		if p.tok.kind == tRBrace {
			break
		}
		if done {
			p.errorf(p.tok.pos, "expected '}' at the end of the block that begins at line %d, found %s", b.At.Line, &p.tok)
			b.Stmts = p.takeStmts(base)
			if p.tok.kind == tEOF || p.depth == 0 {
				return b
			}
			panic(bailout{})
		}
	}
	b.Stmts = p.takeStmts(base)
	p.next()
	return b
}

// takeStmts moves the statements above base into a list.
func (p *parser) takeStmts(base int) []Stmt {
	list := p.stmtLists.copy(p.stmts[base:])
	p.stmts = p.stmts[:base]
	return list
}

// statements parses statements up to a closing brace. After an error it skips to the beginning of the
// next statement and returns; done reports whether the block has ended.
func (p *parser) statements(base int) (done bool) {
	start := p.tok.pos
	depth := p.depth
	exprs, stmts := len(p.exprs), len(p.stmts)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			p.depth = depth
			if p.heads > 0 {
				p.heads = 0
				p.skipHead()
			}
			p.exprs, p.stmts = p.exprs[:exprs], p.stmts[:stmts]
			p.skipStatement(start)
			done = p.atDeclaration()
		}
	}()
	for p.tok.kind != tRBrace {
		if p.atDeclaration() {
			return true
		}
		start, stmts = p.tok.pos, len(p.stmts)
		p.stmts = append(p.stmts, p.stmt())
	}
	return false
}

// atDeclaration reports whether the current token can't be in a block.
func (p *parser) atDeclaration() bool {
	switch p.tok.kind {
	case tEOF, tProbe, tGlobal, tFunction, tPrivate:
		return true
	}
	return false
}

// skipStatement skips to the beginning of a statement or the end of a block.
func (p *parser) skipStatement(start Pos) {
	if p.tok.pos == start && p.tok.kind != tRBrace && !p.atDeclaration() {
		if p.tok.kind == tLBrace {
			p.skipBraces()
		} else {
			p.next()
		}
	}
	for {
		switch p.tok.kind {
		case tRBrace:
			return
		case tSemi:
			p.next()
			return
		case tLBrace:
			p.skipBraces()
			return
		case tIf, tFor, tForeach, tWhile, tReturn, tDelete, tBreak, tContinue, tNext, tTry:
			return
		}
		if p.atDeclaration() || p.tok.newline {
			return
		}
		p.next()
	}
}

// skipHead skips the rest of a for loop's head.
func (p *parser) skipHead() {
	for depth := 0; !p.atDeclaration() && !p.tok.newline; p.next() {
		switch p.tok.kind {
		case tLBrace, tRBrace:
			return
		case tLParen:
			depth++
		case tRParen:
			if depth--; depth < 0 {
				p.next()
				return
			}
		}
	}
}

// skipBraces skips a block behind an error.
func (p *parser) skipBraces() {
	for depth := 0; !p.atDeclaration(); p.next() {
		switch p.tok.kind {
		case tLBrace:
			depth++
		case tRBrace:
			if depth--; depth == 0 {
				p.next()
				return
			}
		}
	}
}

// stmt parses a statement.
func (p *parser) stmt() Stmt {
	at := p.tok.pos
	p.enter()
	var s Stmt
	switch p.tok.kind {
	case tLBrace:
		s = p.block()
	case tSemi:
		p.next()
		s = &EmptyStmt{At: at}
	case tIf:
		s = p.ifStmt()
	case tWhile:
		p.next()
		loop := p.fors.new()
		loop.At = at
		p.want(tLParen, "after 'while'")
		loop.Cond = p.expr()
		p.want(tRParen, "after the condition")
		loop.Body = p.stmt()
		s = loop
	case tFor:
		s = p.forStmt()
	case tForeach:
		s = p.foreach()
	case tBreak:
		p.next()
		p.got(tSemi)
		s = &BreakStmt{At: at}
	case tContinue:
		p.next()
		p.got(tSemi)
		s = &ContinueStmt{At: at}
	case tNext:
		p.next()
		p.got(tSemi)
		s = &NextStmt{At: at}
	case tReturn:
		s = p.returnStmt()
	case tDelete:
		p.next()
		s = &DeleteStmt{At: at, X: p.expr()}
		p.got(tSemi)
	case tTry:
		s = p.try()
	default:
		if !p.atExpr() {
			hint := ""
			switch {
			case p.tok.kind == tElse:
				hint = "there is no 'if' that this 'else' could belong to"
			case p.tok.kind == tCatch:
				hint = "there is no 'try' that this 'catch' could belong to"
			case p.tok.kind.isKeyword():
				hint = "'" + p.tok.text + "' is a keyword"
			}
			p.fail(hint, "a statement")
		}
		x := p.exprStmts.new()
		x.X = p.expr()
		p.got(tSemi)
		s = x
	}
	p.leave()
	return s
}

// ifStmt parses if … else if … else. A chain of else-ifs is not nested.
func (p *parser) ifStmt() Stmt {
	var first *IfStmt
	var last *IfStmt
	for n := 0; ; p.chain(&n) {
		s := p.ifs.new()
		s.At = p.tok.pos
		p.next()
		p.want(tLParen, "after 'if'")
		s.Cond = p.expr()
		p.want(tRParen, "after the condition")
		s.Then = p.stmt()
		if last == nil {
			first = s
		} else {
			last.Else = s
		}
		last = s
		if !p.got(tElse) {
			return first
		}
		if p.tok.kind != tIf {
			s.Else = p.stmt()
			return first
		}
	}
}

func (p *parser) forStmt() Stmt {
	s := p.fors.new()
	s.At = p.tok.pos
	p.next()
	p.want(tLParen, "after 'for'")
	p.heads++
	if p.tok.kind != tSemi {
		s.Init = p.expr()
	}
	p.want(tSemi, "after the loop's initialisation")
	if p.tok.kind != tSemi {
		s.Cond = p.expr()
	}
	p.want(tSemi, "after the loop's condition")
	if p.tok.kind != tRParen {
		s.Post = p.expr()
	}
	p.want(tRParen, "after the loop's last part")
	p.heads--
	s.Body = p.stmt()
	return s
}

// returnStmt parses return, whose value is optional.
func (p *parser) returnStmt() Stmt {
	s := p.returns.new()
	s.At = p.tok.pos
	if !p.function {
		p.errorf(p.tok.pos, "'return' stands outside of a function").Hint = "'next' leaves a probe's handler"
	}
	p.next()
	if p.atExpr() {
		s.X = p.expr()
	}
	p.got(tSemi)
	return s
}

func (p *parser) try() Stmt {
	s := &TryStmt{At: p.tok.pos}
	p.next()
	if p.tok.kind != tLBrace {
		p.fail("", "'{' after 'try'")
	}
	s.Body = p.block()
	p.want(tCatch, "after the block of 'try'")
	if p.got(tLParen) {
		s.Msg = p.ident("a variable's name for the error message")
		p.want(tRParen, "after the variable of 'catch'")
	}
	if p.tok.kind != tLBrace {
		p.fail("", "'{' after 'catch'")
	}
	s.Catch = p.block()
	return s
}
