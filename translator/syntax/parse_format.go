// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"errors"
	"strings"

	"gostap/translator/format"
)

// checkFormat reports what is wrong with the format of printf or sprintf.
func (p *parser) checkFormat(x *PrintExpr) {
	_, err := format.Parse(x.Format)
	var wrong *format.Error
	if errors.As(err, &wrong) {
		p.errorf(formatPos(x, wrong.Offset), "%s: %v", x.Name, err)
	}
}

// formatPos returns the position of the byte at offset in x's format, or that of x if macros or joined
// literals obscure it.
func formatPos(x *PrintExpr, offset int) Pos {
	rest, ok := strings.CutPrefix(x.At.LineText()[min(int(x.At.Col)-1, len(x.At.LineText())):], x.Name)
	if !ok {
		return x.At
	}
	trimmed := strings.TrimLeft(rest, " \t(")
	text, ok := strings.CutPrefix(trimmed, `"`)
	if !ok {
		return x.At
	}
	at := x.At
	at.Col += int32(len(x.Name) + len(rest) - len(text))
	for ; offset > 0; offset-- {
		n := 1
		switch {
		case text == "" || text[0] == '"':
			return x.At
		case text[0] == '\\' && len(text) > 1:
			n = escapeLen(text)
		}
		text = text[n:]
		at.Col += int32(n)
	}
	return at
}

// escapeLen is the length of the escape at the beginning of s.
func escapeLen(s string) int {
	digits, most := "01234567", 4
	n := 1
	if s[1] == 'x' {
		digits, most, n = "0123456789abcdefABCDEF", 4, 2
	}
	for n < most && n < len(s) && strings.IndexByte(digits, s[n]) >= 0 {
		n++
	}
	return max(n, 2)
}
