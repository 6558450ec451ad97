// SPDX-License-Identifier: GPL-2.0-or-later

package suggest

import (
	"fmt"
	"strconv"
	"strings"
)

// DidYouMean is a hint with one to three names.
func DidYouMean(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, strconv.Quote(n))
	}
	last := len(quoted) - 1
	if last == 0 {
		return "did you mean " + quoted[0] + "?"
	}
	return "did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
}

// Similar lists names in SystemTap's form: " (similar functions: a, b)", "" without any.
func Similar(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.TrimSpace("similar "+what) + ": " + strings.Join(names, ", ") + ")"
}

// Enumerate lists at most n names, and the number of the others.
func Enumerate(names []string, n int) string {
	if len(names) > n {
		return strings.Join(names[:n], ", ") + fmt.Sprintf(" and %d more", len(names)-n)
	}
	return strings.Join(names, ", ")
}
