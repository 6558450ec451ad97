// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"strings"
)

// A scanner splits a text into tokens. It never fails: invalid text becomes a tBad token, as branches
// that are not taken may contain anything.
type scanner struct {
	src       *Source
	text      string
	off       int
	line      int32
	lineStart int // offset of the current line

	begin int // offset of the last token
	end   Pos // the end of the last token of the text, when that is known

	unclosed Pos // the start of an unterminated comment, when that is known

	comments func(pos Pos, text string) // called for each comment if set
}

func newScanner(src *Source) *scanner {
	return &scanner{src: src, text: string(src.Text), line: 1}
}

// Classes of bytes.
const (
	cSpace = 1 << iota
	cIdent // may continue an identifier
	cDigit
	cAlpha // may begin an identifier
)

var class = func() (c [256]uint8) {
	for _, b := range " \t\r\v\f" {
		c[b] = cSpace
	}
	for b := 'a'; b <= 'z'; b++ {
		c[b] = cAlpha | cIdent
		c[b-'a'+'A'] = cAlpha | cIdent
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = cDigit | cIdent
	}
	c['_'] = cAlpha | cIdent
	c['$'] = cIdent
	return
}()

// next returns the next token.
func (s *scanner) next() (t token) {
	s.scan(&t)
	return t
}

// scan sets t to the next token.
func (s *scanner) scan(t *token) {
	start := s.off
	line := s.line
	t.pos = s.here() // the end of the file is reported at the end of the last token
	s.skipSpace()
	begin := s.off
	s.begin = begin
	t.spaced = begin > start
	t.newline = s.line > line || start == 0
	if begin >= len(s.text) {
		if !s.end.IsValid() {
			s.end = t.pos
		}
		t.kind, t.text, t.pos = tEOF, "", s.end
		return
	}
	t.pos.Line, t.pos.Col = s.line, int32(begin-s.lineStart)+1
	c := s.text[begin]
	switch {
	case class[c]&cAlpha != 0:
		t.text = s.word(begin)
		t.kind = keyword(t.text)
	case class[c]&cDigit != 0:
		t.kind = tNumber
		t.text = s.word(begin)
	case c == '"':
		s.str(t)
	case c == '$' || c == '@':
		s.sigil(t, c)
	default:
		t.text = ""
		if k := single[c]; k != tEOF {
			t.kind = k
			s.off++
			return
		}
		s.operator(t, c)
	}
}

// single are the characters that are always a token by themselves.
var single = [256]kind{
	'(': tLParen, ')': tRParen, '[': tLBrack, ']': tRBrack, '{': tLBrace, '}': tRBrace,
	',': tComma, ';': tSemi, ':': tColon, '?': tQuestion, '~': tTilde,
}

// here returns the current position.
func (s *scanner) here() Pos { return Pos{s.src, s.line, int32(s.off-s.lineStart) + 1} }

// skipSpace skips white space and comments.
func (s *scanner) skipSpace() {
	for s.off < len(s.text) {
		c := s.text[s.off]
		switch {
		case c == ' ' || class[c] == cSpace:
			s.off++
		case c == '\n':
			s.off++
			s.line++
			s.lineStart = s.off
		case c == '#':
			s.lineComment()
		case c == '/' && strings.HasPrefix(s.text[s.off:], "//"):
			s.lineComment()
		case c == '/' && strings.HasPrefix(s.text[s.off:], "/*"):
			end := strings.Index(s.text[s.off+2:], "*/")
			if end < 0 {
				s.unclosed = Pos{s.src, s.line, int32(s.off-s.lineStart) + 1}
				s.comment(len(s.text))
				return
			}
			s.comment(s.off + 2 + end + 2)
		default:
			return
		}
	}
}

func (s *scanner) lineComment() {
	end := strings.IndexByte(s.text[s.off:], '\n')
	if end < 0 {
		end = len(s.text) - s.off
	}
	s.comment(s.off + end)
}

// comment skips the comment that ends before end.
func (s *scanner) comment(end int) {
	if s.comments != nil {
		pos := Pos{s.src, s.line, int32(s.off-s.lineStart) + 1}
		s.comments(pos, s.text[s.off:end])
	}
	s.advance(end)
}

// advance moves to end, counting lines.
func (s *scanner) advance(end int) {
	skipped := s.text[s.off:end]
	if i := strings.LastIndexByte(skipped, '\n'); i >= 0 {
		s.line += int32(strings.Count(skipped, "\n"))
		s.lineStart = s.off + i + 1
	}
	s.off = end
}

// word scans a word that begins at begin.
func (s *scanner) word(begin int) string {
	i := begin + 1
	for i < len(s.text) && class[s.text[i]]&cIdent != 0 {
		i++
	}
	s.off = i
	return s.text[begin:i]
}

// str scans a string. It may contain a newline only behind a backslash.
func (s *scanner) str(t *token) {
	begin := s.off + 1
	for i := begin; i < len(s.text); i++ {
		switch s.text[i] {
		case '"':
			t.kind = tString
			t.text = s.text[begin:i]
			s.advance(i + 1)
			return
		case '\\':
			i++
		case '\n':
			s.bad(t, i, "this string has no closing quote on its line")
			return
		}
	}
	s.bad(t, len(s.text), "this string has no closing quote")
}

// sigil scans a token that begins with $ or @.
func (s *scanner) sigil(t *token, c byte) {
	begin := s.off
	i := begin + 1
	next := byte(0)
	if i < len(s.text) {
		next = s.text[i]
	}
	switch {
	case next == '#':
		t.kind = tArg
		t.text = s.text[begin : i+1]
		s.off = i + 1
	case class[next]&cDigit != 0:
		for i < len(s.text) && class[s.text[i]]&cDigit != 0 {
			i++
		}
		t.kind = tArg
		t.text = s.text[begin:i]
		s.off = i
	case c == '$':
		t.kind = tDollar
		t.text = s.word(begin)
	case class[next]&cAlpha != 0:
		t.kind = tAt
		t.text = s.word(i)
	default:
		s.bad(t, i, "expected a name after '@'")
	}
}

// bad makes t an error about the text up to end.
func (s *scanner) bad(t *token, end int, msg string) {
	t.kind = tBad
	t.text = msg
	s.advance(end)
}

// operator scans an operator or a mark that begins with c.
func (s *scanner) operator(t *token, c byte) {
	var c1, c2 byte
	if s.off+1 < len(s.text) {
		c1 = s.text[s.off+1]
	}
	if s.off+2 < len(s.text) {
		c2 = s.text[s.off+2]
	}
	// one, two and three set a token of that many bytes.
	one := func(k kind) { t.kind = k; s.off++ }
	two := func(k kind) { t.kind = k; s.off += 2 }
	three := func(k kind) { t.kind = k; s.off += 3 }
	assign := func(plain, assigning kind) {
		if c1 == '=' {
			two(assigning)
		} else {
			one(plain)
		}
	}
	switch c {
	case '.':
		assign(tDot, tCatAssign)
	case '*':
		assign(tMul, tMulAssign)
	case '^':
		assign(tXor, tXorAssign)
	case '=':
		if c1 == '~' {
			two(tMatch)
		} else {
			assign(tAssign, tEq)
		}
	case '!':
		if c1 == '~' {
			two(tNotMatch)
		} else {
			assign(tNot, tNotEq)
		}
	case '+':
		if c1 == '+' {
			two(tInc)
		} else {
			assign(tAdd, tAddAssign)
		}
	case '-':
		switch c1 {
		case '-':
			two(tDec)
		case '>':
			two(tArrow)
		default:
			assign(tSub, tSubAssign)
		}
	case '&':
		if c1 == '&' {
			two(tAndAnd)
		} else {
			assign(tAnd, tAndAssign)
		}
	case '|':
		if c1 == '|' {
			two(tOrOr)
		} else {
			assign(tOr, tOrAssign)
		}
	case '<':
		switch {
		case c1 == '<' && c2 == '<':
			three(tAggregate)
		case c1 == '<' && c2 == '=':
			three(tShlAssign)
		case c1 == '<':
			two(tShl)
		default:
			assign(tLess, tLessEq)
		}
	case '>':
		switch {
		case c1 == '>' && c2 == '>':
			three(tShrU)
		case c1 == '>' && c2 == '=':
			three(tShrAssign)
		case c1 == '>':
			two(tShr)
		default:
			assign(tGreater, tGreaterEq)
		}
	case '/':
		assign(tDiv, tDivAssign)
	case '%':
		switch c1 {
		case '(':
			two(tCondOpen)
		case '?':
			two(tCondThen)
		case ':':
			two(tCondElse)
		case ')':
			two(tCondClose)
		case '{':
			s.embedded(t)
		case '}':
			s.bad(t, s.off+2, "found '%}' without a '%{' before it")
		default:
			assign(tMod, tModAssign)
		}
	default:
		s.junk(t, c)
	}
}

// embedded scans %{ C code %}.
func (s *scanner) embedded(t *token) {
	begin := s.off + 2
	n := strings.Index(s.text[begin:], "%}")
	if n < 0 {
		s.bad(t, len(s.text), "this embedded C has no closing '%}'")
		return
	}
	t.kind = tEmbedded
	t.text = s.text[begin : begin+n]
	s.advance(begin + n + 2)
}

// junk scans a run of bytes that are no token.
func (s *scanner) junk(t *token, c byte) {
	if c < 0x80 {
		msg := fmt.Sprintf("unexpected character %q", rune(c))
		if c == 0 {
			msg = "unexpected NUL byte"
		}
		s.bad(t, s.off+1, msg)
		return
	}
	end := s.off
	for end < len(s.text) && s.text[end] >= 0x80 {
		end++
	}
	s.bad(t, end, fmt.Sprintf("unexpected text %q", clip(s.text[s.off:end])))
}
