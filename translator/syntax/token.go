// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strconv"

// A kind is the kind of a token.
type kind uint8

const (
	// Kinds that the preprocessor handles, up to tCondClose.
	tEOF       kind = iota
	tBad            // text that is no token; the token's text is the message
	tAt             // @word; text is the word
	tArg            // $1, @1, $#, @#; text includes the first character
	tCondOpen       // %(
	tCondThen       // %?
	tCondElse       // %:
	tCondClose      // %)

	tIdent    // name
	tDollar   // $name, $$name, $name$; also $ and $$ alone
	tNumber   // 42, unconverted
	tString   // "text", without the quotes and with its escapes
	tRaw      // a string whose text has no escapes: @1, @#
	tEmbedded // %{ text %}, without the marks

	// Operators.
	tLParen
	tRParen
	tLBrack
	tRBrack
	tLBrace
	tRBrace
	tComma
	tSemi
	tColon
	tQuestion
	tArrow
	tInc
	tDec
	tNot
	tTilde

	tAssign
	tAddAssign
	tSubAssign
	tMulAssign
	tDivAssign
	tModAssign
	tShlAssign
	tShrAssign
	tAndAssign
	tXorAssign
	tOrAssign
	tCatAssign
	tAggregate // <<<

	tOrOr
	tAndAnd
	tOr
	tXor
	tAnd
	tLess
	tGreater
	tLessEq
	tGreaterEq
	tEq
	tNotEq
	tMatch
	tNotMatch
	tShl
	tShr
	tShrU
	tDot
	tAdd
	tSub
	tMul
	tDiv
	tMod

	// Keywords.
	tProbe
	tGlobal
	tPrivate
	tFunction
	tIf
	tElse
	tFor
	tForeach
	tIn
	tLimit
	tReturn
	tDelete
	tWhile
	tBreak
	tContinue
	tNext
	tTypeString
	tTypeLong
	tTry
	tCatch

	kindCount
)

var kindText = [kindCount]string{
	tCondOpen: "%(", tCondThen: "%?", tCondElse: "%:", tCondClose: "%)",
	tLParen: "(", tRParen: ")", tLBrack: "[", tRBrack: "]", tLBrace: "{", tRBrace: "}",
	tComma: ",", tSemi: ";", tColon: ":", tQuestion: "?", tArrow: "->",
	tInc: "++", tDec: "--", tNot: "!", tTilde: "~",
	tAssign: "=", tAddAssign: "+=", tSubAssign: "-=", tMulAssign: "*=", tDivAssign: "/=", tModAssign: "%=",
	tShlAssign: "<<=", tShrAssign: ">>=", tAndAssign: "&=", tXorAssign: "^=", tOrAssign: "|=", tCatAssign: ".=",
	tAggregate: "<<<",
	tOrOr:      "||", tAndAnd: "&&", tOr: "|", tXor: "^", tAnd: "&",
	tLess: "<", tGreater: ">", tLessEq: "<=", tGreaterEq: ">=", tEq: "==", tNotEq: "!=", tMatch: "=~", tNotMatch: "!~",
	tShl: "<<", tShr: ">>", tShrU: ">>>", tDot: ".", tAdd: "+", tSub: "-", tMul: "*", tDiv: "/", tMod: "%",
	tProbe: "probe", tGlobal: "global", tPrivate: "private", tFunction: "function",
	tIf: "if", tElse: "else", tFor: "for", tForeach: "foreach", tIn: "in", tLimit: "limit",
	tReturn: "return", tDelete: "delete", tWhile: "while", tBreak: "break", tContinue: "continue",
	tNext: "next", tTypeString: "string", tTypeLong: "long", tTry: "try", tCatch: "catch",
}

func (k kind) isKeyword() bool { return k >= tProbe && k < kindCount }

// A token is a token of the language.
type token struct {
	kind    kind
	spaced  bool // white space or a comment precedes it
	newline bool // it is the first on its line
	pos     Pos
	text    string
}

// String is the token's name in diagnostics.
func (t *token) String() string {
	switch t.kind {
	case tEOF:
		return "the end of the file"
	case tIdent, tDollar, tNumber, tArg:
		return "'" + clip(t.text) + "'"
	case tString, tRaw:
		return strconv.Quote(clip(t.text))
	case tAt:
		return "'@" + clip(t.text) + "'"
	case tEmbedded:
		return "embedded C"
	case tBad:
		return "junk"
	}
	return "'" + kindText[t.kind] + "'"
}

// clip truncates a text that is too long to show.
func clip(s string) string {
	if len(s) > 40 {
		return s[:37] + "..."
	}
	return s
}

// keyword returns the kind of a name: that of a keyword, or tIdent.
func keyword(s string) kind {
	if len(s) < 2 || len(s) > 8 || s[0] < 'b' || s[0] > 'w' {
		return tIdent
	}
	switch s {
	case "probe":
		return tProbe
	case "global":
		return tGlobal
	case "private":
		return tPrivate
	case "function":
		return tFunction
	case "if":
		return tIf
	case "else":
		return tElse
	case "for":
		return tFor
	case "foreach":
		return tForeach
	case "in":
		return tIn
	case "limit":
		return tLimit
	case "return":
		return tReturn
	case "delete":
		return tDelete
	case "while":
		return tWhile
	case "break":
		return tBreak
	case "continue":
		return tContinue
	case "next":
		return tNext
	case "string":
		return tTypeString
	case "long":
		return tTypeLong
	case "try":
		return tTry
	case "catch":
		return tCatch
	}
	return tIdent
}
