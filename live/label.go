// SPDX-License-Identifier: GPL-2.0-or-later

package live

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Label spells a text in a label: as it is, or with escapes as Go has them if some of it can't be seen or is no UTF-8.
func Label(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// Label spells a key in a label.
func (v Value) Label() string {
	if v.Kind == String {
		return Label(v.Text)
	}
	return strconv.FormatInt(v.Number, 10)
}
