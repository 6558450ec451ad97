// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// An item is an item of the layout: a token as it is written, or a comment.
type item struct {
	token
	text    string // as in the file
	comment bool
	line    bool // a comment that ends with its line
	breaks  int  // line breaks before it in the file; 2 for more

	role   role
	header header // the declaration whose head the item is in
}

// scanItems splits src into items; the last is the end of the file.
func scanItems(src *Source) ([]item, Diagnostics) {
	var diags Diagnostics
	var items []item
	s := newScanner(src)
	end := int32(1) // the line on which the last item ended
	add := func(it item) {
		it.breaks = int(min(it.pos.Line-end, 2))
		end = it.pos.Line + int32(strings.Count(it.text, "\n"))
		items = append(items, it)
	}
	s.comments = func(pos Pos, text string) {
		it := item{token: token{pos: pos}, comment: true, line: !strings.HasPrefix(text, "/*"), text: text}
		if it.line {
			it.text = strings.TrimRight(text, " \t\r\v\f")
		}
		add(it)
	}
	for {
		t := s.next()
		it := item{token: t}
		if t.kind != tEOF {
			it.text = s.text[s.begin:s.off]
		}
		if t.kind == tBad && isOpen(it.text) {
			diags.Errorf(t.pos, "%s", t.text)
		}
		add(it)
		if t.kind == tEOF {
			return items, diags
		}
	}
}

// isOpen reports whether a bad token is an unterminated string or embedded C. Other bad tokens may be
// in a branch that is not taken.
func isOpen(text string) bool {
	return strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "%{")
}
