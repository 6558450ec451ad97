// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"strings"
)

// unquote resolves the escapes of a string literal: C's, with at most two digits for \x. A backslash at
// the end of a line joins it with the next; before any other character it stands for that.
func unquote(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i+1:]
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "\r"), "\n"); ok {
			s = rest
		} else {
			c, n := escape(s)
			b.WriteByte(c)
			s = s[n:]
		}
		i = strings.IndexByte(s, '\\')
	}
	b.WriteString(s)
	return b.String()
}

// escape returns the character of the escape whose backslash is before s, and the escape's length in s.
// s is not empty, as the scanner has checked.
func escape(s string) (c byte, n int) {
	if i := strings.IndexByte("abtnvfr", s[0]); i >= 0 {
		return "\a\b\t\n\v\f\r"[i], 1
	}
	base, limit, start := 8, 3, 0
	if s[0] == 'x' {
		base, limit, start = 16, 3, 1
	}
	v := 0
	for n = start; n < limit && n < len(s) && digitValue(s[n]) < base; n++ {
		v = v*base + digitValue(s[n])
	}
	if n == start {
		return s[0], 1
	}
	return byte(v), n
}

// quote returns a literal that unquote resolves to s.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= '\a' && c <= '\r':
			b.WriteByte('\\')
			b.WriteByte("abtnvfr"[c-'\a'])
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
