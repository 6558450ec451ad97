// SPDX-License-Identifier: GPL-2.0-or-later

package tapsets

import (
	"regexp"
	"strings"
	"testing"
)

var (
	literals = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*`)
	joints   = regexp.MustCompile(`"\s*"`)
)

// TestTablesFit: no string of the library, with adjacent literals joined, is longer than a string
// variable by default: the end of a longer table of names would be silently cut off.
func TestTablesFit(t *testing.T) {
	const maxLen = 511 // MAXSTRINGLEN without the NUL
	for name, text := range tapsetTexts(t) {
		for _, at := range literals.FindAllStringIndex(text, -1) {
			literal := joints.ReplaceAllString(text[at[0]+1:at[1]-1], "")
			if len(literal) > maxLen {
				t.Errorf("%s:%d: a string of %d bytes: %.40s", name, 1+strings.Count(text[:at[0]], "\n"), len(literal), literal)
			}
		}
	}
}
