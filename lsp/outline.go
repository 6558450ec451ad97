// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"strings"

	"gostap/translator/syntax"
)

// format returns the edits to the canonical layout: none, or one of the lines that differ.
func format(d *document) ([]TextEdit, error) {
	out, diags := syntax.Format(d.src)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	edits := []TextEdit{}
	after := string(out)
	if after == d.text {
		return edits, nil
	}
	begin := 0
	for i := 0; i < min(len(after), len(d.text)) && after[i] == d.text[i]; i++ {
		if after[i] == '\n' {
			begin = i + 1
		}
	}
	end := 0 // counted from the last line
	for i := 1; i <= min(len(after), len(d.text))-begin && after[len(after)-i] == d.text[len(d.text)-i]; i++ {
		if after[len(after)-i] == '\n' {
			end = i - 1
		}
	}
	return append(edits, TextEdit{d.span(begin, len(d.text)-end), after[begin : len(after)-end]}), nil
}

// symbols returns the declarations, found by tokens so that it works for unfinished texts.
func symbols(d *document) []DocumentSymbol {
	list := []DocumentSymbol{}
	words := code(syntax.Lexemes(d.src))
	for i := 0; i < len(words); i++ {
		switch keyword(words, i) {
		case "{":
			i = closing(words, i)
		case "function", "global", "probe", "@define":
			end := declarationEnd(words, i)
			list = append(list, declared(d, words[i:end+1])...)
			i = end
		}
	}
	return list
}

// code returns the lexemes that are not comments.
func code(lexemes []syntax.Lexeme) (words []syntax.Lexeme) {
	for _, l := range lexemes {
		if l.Class != syntax.Comment {
			words = append(words, l)
		}
	}
	return words
}

// closing returns the index of the bracket that closes the one at i, or of the last word.
func closing(words []syntax.Lexeme, i int) int {
	depth := 0
	for ; i < len(words); i++ {
		switch words[i].Text {
		case "{", "(", "[", "%(":
			depth++
		case "}", ")", "]", "%)":
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(words) - 1
}

// declarationEnd returns the index of the last word of the declaration whose keyword is at i.
func declarationEnd(words []syntax.Lexeme, i int) int {
	first := i
	for i++; i < len(words); i++ {
		w := words[i]
		switch {
		case w.Text == "{" && words[first].Text != "global":
			// Braces in a probe's points are preceded or followed by a dot.
			end := closing(words, i)
			if words[i-1].Text == "." || end+1 < len(words) && words[end+1].Text == "." {
				i = end
				continue
			}
			if words[first].Text == "probe" && end+2 < len(words) && words[end+1].Text == "," && words[end+2].Text == "{" {
				return closing(words, end+2)
			}
			return end
		case w.Text == "%(" && words[first].Text == "@define":
			return closing(words, i)
		case w.Class == syntax.Code:
			return i
		case w.Text == ";" && words[first].Text == "global":
			return i
		}
		switch keyword(words, i) {
		case "function", "global", "private", "probe", "@define":
			return i - 1
		}
	}
	return len(words) - 1
}

// keyword returns the word at i, "" for one that is a component of a probe point, as in kernel.function.
func keyword(words []syntax.Lexeme, i int) string {
	if i > 0 && words[i-1].Text == "." {
		return ""
	}
	return words[i].Text
}

// declared returns the symbols that a declaration declares.
func declared(d *document, words []syntax.Lexeme) (list []DocumentSymbol) {
	if len(words) < 2 {
		return nil
	}
	begin, end := words[0].Begin, words[len(words)-1].End
	add := func(name string, kind int, first, last syntax.Lexeme) {
		list = append(list, DocumentSymbol{name, kind, d.span(begin, end), d.span(first.Begin, last.End)})
	}
	switch words[0].Text {
	case "function":
		add(words[1].Text, symbolFunction, words[1], words[1])
	case "@define":
		add("@"+words[1].Text, symbolConstant, words[1], words[1])
	case "global":
		for i, depth := 1, 0; i < len(words); i++ {
			switch {
			case words[i].Text == "[":
				depth++
			case words[i].Text == "]":
				depth--
			case depth == 0 && words[i].Class == syntax.Name && (i == 1 || words[i-1].Text == ","):
				add(words[i].Text, symbolVariable, words[i], words[i])
			}
		}
	case "probe":
		last := 1
		for last+1 < len(words) && words[last+1].Text != "{" && words[last+1].Text != "=" && words[last+1].Text != "+=" {
			last++
		}
		name := strings.Join(strings.Fields(d.text[words[1].Begin:words[last].End]), " ")
		kind := symbolEvent
		if last+1 < len(words) && words[last+1].Text != "{" {
			kind = symbolInterface // for an alias
		}
		add(name, kind, words[1], words[last])
	}
	return list
}

// folds returns the ranges that an editor may fold: braces, and comments, of several lines.
func folds(d *document) []foldingRange {
	list := []foldingRange{}
	var open []int
	for _, l := range syntax.Lexemes(d.src) {
		first, last := d.position(l.Begin).Line, d.position(l.End).Line
		switch {
		case l.Class == syntax.Comment && last > first:
			list = append(list, foldingRange{first, last, "comment"})
		case l.Class == syntax.Code && last > first:
			list = append(list, foldingRange{StartLine: first, EndLine: last - 1})
		case l.Text == "{":
			open = append(open, first)
		case l.Text == "}" && len(open) > 0:
			if begin := open[len(open)-1]; last-1 > begin {
				list = append(list, foldingRange{StartLine: begin, EndLine: last - 1})
			}
			open = open[:len(open)-1]
		}
	}
	return list
}
