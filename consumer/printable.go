// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// printable returns text for a terminal: control characters and bytes that are no UTF-8 are escaped as
// Go spells them, except line breaks, tabs, and sequences that set colours. Nobody who names a thread
// or a file commands the terminal of whoever prints the name.
func printable(text []byte) []byte {
	if !needsEscapes(text) {
		return text
	}
	var clean []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if n := colour(text); n > 0 {
			size = n
		}
		switch {
		case size > 1 && text[0] == '\x1b', r == '\n', r == '\t':
			clean = append(clean, text[:size]...)
		case r == utf8.RuneError && size == 1, unicode.IsControl(r) && r < utf8.RuneSelf:
			clean = fmt.Appendf(clean, `\x%02x`, text[0])
		case commands(r):
			clean = fmt.Appendf(clean, `\u%04x`, r)
		default:
			clean = append(clean, text[:size]...)
		}
		text = text[size:]
	}
	return clean
}

func needsEscapes(text []byte) bool {
	for _, b := range text {
		if b < ' ' && b != '\n' && b != '\t' || b >= 0x7f {
			return true
		}
	}
	return false
}

// commands reports whether a character does something to the text around it: a control character, or
// one that changes the direction of writing or breaks lines.
func commands(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// colour returns the length of the sequence at the beginning of text that sets colours, as in
// ansi_set_color; 0 if there is none.
func colour(text []byte) int {
	if len(text) < 3 || text[0] != '\x1b' || text[1] != '[' {
		return 0
	}
	for i := 2; i < len(text); i++ {
		if text[i] == 'm' {
			return i + 1
		}
		if text[i] != ';' && (text[i] < '0' || text[i] > '9') {
			break
		}
	}
	return 0
}
