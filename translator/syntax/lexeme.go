// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// A Class is the kind of a Lexeme.
type Class uint8

const (
	Punctuation Class = iota // operators, brackets, and text that is no token
	Name
	Keyword
	Dollar  // $name
	AtWord  // @word
	Literal // a number or a string
	Code    // %{ … %}
	Comment
)

// A Lexeme is a token of a text before the preprocessor, or a comment.
type Lexeme struct {
	Class      Class
	Text       string // with quotes and marks
	Begin, End int    // offsets in bytes
}

// Lexemes splits a text into tokens and comments. It never fails, as editors use it on unfinished
// texts.
func Lexemes(src *Source) (list []Lexeme) {
	s := newScanner(src)
	offset := func(p Pos) int { return len(src.Text) - len(src.lineAt(p)) + int(p.Col) - 1 }
	s.comments = func(pos Pos, text string) {
		begin := offset(pos)
		list = append(list, Lexeme{Comment, text, begin, begin + len(text)})
	}
	for {
		t := s.next()
		if t.kind == tEOF {
			return list
		}
		l := Lexeme{Text: s.text[s.begin:s.off], Begin: s.begin, End: s.off}
		switch {
		case t.kind == tIdent:
			l.Class = Name
		case t.kind.isKeyword():
			l.Class = Keyword
		case t.kind == tDollar || t.kind == tArg:
			l.Class = Dollar
		case t.kind == tAt:
			l.Class = AtWord
		case t.kind == tNumber || t.kind == tString || t.kind == tRaw:
			l.Class = Literal
		case t.kind == tEmbedded:
			l.Class = Code
		}
		list = append(list, l)
	}
}
