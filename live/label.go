// SPDX-License-Identifier: GPL-2.0-or-later

package live

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Label returns a text for a label: unchanged, or with Go's escapes if it contains characters that are
// not printable or is not valid UTF-8.
func Label(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// Label returns a key for a label.
func (v Value) Label() string {
	if v.Kind == String {
		return Label(v.Text)
	}
	return strconv.FormatInt(v.Number, 10)
}
