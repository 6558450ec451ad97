// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "slices"

// foreach parses foreach (value = [keys] in array[slice] @stat+ limit n) body.
func (p *parser) foreach() Stmt {
	s := p.foreachs.new()
	s.At = p.tok.pos
	p.next()
	p.want(tLParen, "after 'foreach'")
	if p.tok.kind != tLBrack {
		first := p.ident("a variable's name or '[' in foreach")
		switch p.tok.kind {
		case tAddAssign, tSubAssign: // value+= in array
			s.sort(p, 0, p.tok.kind == tSubAssign)
			p.next()
			s.Value = first
		default:
			dir := p.tok
			sorted := p.got(tAdd) || p.got(tSub)
			key := 1
			if p.got(tAssign) {
				s.Value = first
				key = 0
			} else {
				s.Keys = append(p.identLists.take(1), first)
			}
			if sorted {
				s.sort(p, key, dir.kind == tSub)
			}
		}
	}
	if s.Keys == nil {
		p.keys(s)
	}
	p.want(tIn, "after the variables of foreach")
	p.iterated(s)
	if p.got(tLimit) {
		s.Limit = p.expr()
	}
	p.want(tRParen, "after the array of foreach")
	s.Body = p.stmt()
	return s
}

// sort records a + or -, which is allowed in one place only.
func (s *ForeachStmt) sort(p *parser, key int, descending bool) {
	if s.SortDir != 0 {
		p.failAt(p.tok.pos, "foreach can sort by one thing only")
	}
	s.SortKey, s.SortDir = key, 1
	if descending {
		s.SortDir = -1
	}
}

// keys parses key or [key, …], each with an optional + or -.
func (p *parser) keys(s *ForeachStmt) {
	if !p.got(tLBrack) {
		p.key(s)
		return
	}
	for {
		p.key(s)
		if p.got(tRBrack) {
			return
		}
		if !p.got(tComma) {
			p.fail("", "',' or ']' after the key '%s'", s.Keys[len(s.Keys)-1].Name)
		}
	}
}

func (p *parser) key(s *ForeachStmt) {
	if s.Keys == nil {
		s.Keys = p.identLists.take(3)
	}
	s.Keys = append(s.Keys, p.ident("a variable's name for a key"))
	if p.tok.kind == tAdd || p.tok.kind == tSub {
		s.sort(p, len(s.Keys), p.tok.kind == tSub)
		p.next()
	}
}

var sortStats = []string{"count", "sum", "min", "max", "avg", "variance"}

// iterated parses the array or histogram, its slice and the sort order.
func (p *parser) iterated(s *ForeachStmt) {
	switch {
	case p.tok.kind == tAt && isHistogram(p.tok.text):
		s.Array = p.statOp()
	case p.tok.kind == tAt:
		p.fail("", "an array's name, '@hist_log(' or '@hist_linear(' after 'in'")
	default:
		s.Array = p.ident("an array's name after 'in'")
	}
	if p.tok.kind == tLBrack {
		if _, ok := s.Array.(*StatOp); ok {
			p.failAt(p.tok.pos, "a histogram can't be sliced")
		}
		s.Slice = p.index()
	}
	if p.tok.kind == tAt {
		op := p.tok
		if !slices.Contains(sortStats, op.text) {
			p.fail(didYouMean(op.text, sortStats, "@"), "'@count', '@sum', '@min', '@max', '@avg' or '@variance' to sort by")
		}
		p.next()
		if p.tok.kind != tAdd && p.tok.kind != tSub {
			p.fail("", "'+' or '-' after '@%s'", op.text)
		}
		s.SortStat = op.text
	}
	if p.tok.kind == tAdd || p.tok.kind == tSub {
		s.sort(p, 0, p.tok.kind == tSub)
		p.next()
	}
}
