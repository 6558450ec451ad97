// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// A role is the function of a token whose kind does not determine the layout.
type role uint8

const (
	noRole     role = iota
	blockOpen       // { of a block
	blockClose      // }
	emptyClose      // } right after its {
	listOpen        // { of a list of probe points
	listClose       // }
	headOpen        // ( of if, while, for, foreach and catch
	headClose       // ) of catch
	governing       // ) of the others: a statement follows
	attached        // ( of a call, [ of an index: no space before it
	prefix          // an operator before its operand
	postfix         // an operator or mark behind its operand
	tight           // no space on either side
	piece           // a part of a probe point's name: spaces are kept
	member          // a keyword used as a name
	declStart       // the first word of a declaration
)

// A header is the head of a declaration.
type header uint8

const (
	noHeader header = iota
	probeHeader
	functionHeader
	globalHeader
)

// A roleFinder determines the roles of items.
type roleFinder struct {
	prev    *item  // the token before
	operand bool   // it is the end of an operand
	header  header // of the current declaration
	stack   []opener
}

// An opener is an open bracket.
type opener struct {
	it      *item
	before  kind   // the token before it
	header  header // the one before %(
	operand bool
}

// findRoles gives each token of items its role.
func findRoles(items []item) {
	f := &roleFinder{}
	next := make([]*item, len(items)) // the token after each item
	var n *item
	for i := len(items) - 1; i >= 0; i-- {
		next[i] = n
		if !items[i].comment {
			n = &items[i]
		}
	}
	for i := range items {
		it := &items[i]
		if !it.comment && it.kind != tEOF {
			it.role = f.role(it, next[i].kind)
			f.prev = it
		}
		it.header = f.header
	}
}

// role returns the role of it; next is the token after it.
func (f *roleFinder) role(it *item, next kind) role {
	wasOperand := f.operand
	f.operand = false
	prev := tEOF
	if f.prev != nil {
		prev = f.prev.kind
	}
	inProbe := f.header == probeHeader && !f.inParens()
	if inProbe && prev != tEOF && it.isPiece() && f.prev.isPiece() && f.prev.role != declStart {
		f.operand = true
		return piece
	}
	if it.kind.isKeyword() {
		return f.keyword(it, prev, inProbe)
	}
	switch it.kind {
	case tIdent, tNumber, tString, tRaw, tArg, tAt, tEmbedded:
		f.operand = true
		if it.kind == tEmbedded {
			f.header = noHeader
		}
	case tDollar:
		f.operand = true
		if wasOperand && strings.Trim(it.text, "$") == "" {
			return piece
		}
	case tLBrace:
		return f.brace(it, prev)
	case tRBrace:
		return f.closeBrace()
	case tLParen, tLBrack:
		return f.bracket(it, prev, wasOperand)
	case tRParen, tRBrack:
		f.operand = true
		return f.closeBracket()
	case tCondOpen:
		f.stack = append(f.stack, opener{it: it, header: f.header, operand: wasOperand})
	case tCondElse:
		if n := len(f.stack); f.inCond() {
			f.header, f.operand = f.stack[n-1].header, f.stack[n-1].operand
		}
	case tCondThen:
		f.operand = f.inCond() && f.stack[len(f.stack)-1].operand
	case tCondClose:
		if f.inCond() {
			f.stack = f.stack[:len(f.stack)-1]
		}
		f.operand = true
	case tInc, tDec:
		f.operand = wasOperand
		if wasOperand {
			return postfix
		}
		return prefix
	default:
		return f.operator(it, prev, next, wasOperand, inProbe)
	}
	return noRole
}

// isPiece reports whether it may be a part of a probe point's name.
func (it *item) isPiece() bool {
	switch it.kind {
	case tIdent, tNumber, tMul:
		return true
	}
	return it.kind.isKeyword() && it.kind != tIf
}

// inParens reports whether the innermost bracket is a parenthesis.
func (f *roleFinder) inParens() bool {
	n := len(f.stack)
	return n > 0 && (f.stack[n-1].it.kind == tLParen || f.stack[n-1].it.kind == tLBrack)
}

// inCond reports whether the innermost bracket is %(.
func (f *roleFinder) inCond() bool {
	n := len(f.stack)
	return n > 0 && f.stack[n-1].it.kind == tCondOpen
}

func (f *roleFinder) keyword(it *item, prev kind, inProbe bool) role {
	if prev == tArrow || inProbe && prev == tDot {
		f.operand = true
		return member
	}
	switch it.kind {
	case tProbe:
		f.header = probeHeader
	case tFunction:
		f.header = functionHeader
	case tGlobal, tPrivate:
		f.header = globalHeader
	case tTypeLong, tTypeString:
		f.operand = true
		return noRole
	default:
		return noRole
	}
	if prev == tPrivate {
		return noRole
	}
	return declStart
}

// brace distinguishes blocks from lists of probe points.
func (f *roleFinder) brace(it *item, prev kind) role {
	f.stack = append(f.stack, opener{it: it})
	if f.header == probeHeader {
		switch prev {
		case tDot, tComma, tProbe, tAssign, tAddAssign:
			return listOpen
		case tLBrace:
			if f.prev.role == listOpen {
				return listOpen
			}
		}
	}
	f.header = noHeader
	return blockOpen
}

func (f *roleFinder) closeBrace() role {
	n := len(f.stack)
	for n > 0 && f.stack[n-1].it.kind != tLBrace && f.stack[n-1].it.kind != tCondOpen {
		n--
	}
	f.stack = f.stack[:n] // parentheses that are not closed
	if n == 0 || f.inCond() {
		f.header = noHeader
		return blockClose
	}
	open := f.stack[n-1].it
	f.stack = f.stack[:n-1]
	switch {
	case open.role == listOpen:
		f.operand = true
		return listClose
	case open == f.prev:
		return emptyClose
	}
	return blockClose
}

func (f *roleFinder) bracket(it *item, prev kind, wasOperand bool) role {
	f.stack = append(f.stack, opener{it: it, before: prev})
	if it.kind == tLBrack {
		if wasOperand || prev == tMod && f.header == globalHeader {
			return attached
		}
		return noRole
	}
	switch prev {
	case tIf, tWhile, tFor, tForeach, tCatch:
		if f.prev.role != member {
			return headOpen
		}
	}
	if wasOperand {
		return attached
	}
	return noRole
}

func (f *roleFinder) closeBracket() role {
	n := len(f.stack)
	if n == 0 || f.stack[n-1].it.kind != tLParen && f.stack[n-1].it.kind != tLBrack {
		return noRole
	}
	open := f.stack[n-1]
	f.stack = f.stack[:n-1]
	if open.it.role != headOpen {
		return noRole
	}
	f.operand = false
	if f.header == probeHeader || open.before == tCatch {
		return headClose
	}
	return governing
}

func (f *roleFinder) operator(it *item, prev, next kind, wasOperand, inProbe bool) role {
	switch it.kind {
	case tDot:
		// In a macro or a conditional it may be a probe point's.
		if inProbe || f.inCond() && wasOperand && !it.spaced {
			return tight
		}
	case tArrow:
		return tight
	case tColon:
		if f.header == functionHeader {
			return tight
		}
	case tQuestion:
		if inProbe {
			f.operand = true
			return postfix
		}
	case tNot, tTilde:
		if inProbe {
			f.operand = true
			return postfix
		}
		return prefix
	case tMul:
		if inProbe {
			f.operand = true
			return member
		}
		if (prev == tLBrack || prev == tComma) && (next == tRBrack || next == tComma) {
			f.operand = true
		}
	case tMod:
		if f.header == globalHeader {
			f.operand = true
			return postfix
		}
	case tAdd, tSub:
		switch next {
		case tIn, tComma, tRBrack, tRParen, tAssign, tLimit:
			f.operand = true
			return postfix
		}
		if !wasOperand {
			return prefix
		}
	case tAnd:
		if !wasOperand {
			return prefix
		}
	}
	return noRole
}
