// SPDX-License-Identifier: GPL-2.0-or-later

package suggest

import (
	"fmt"
	"strconv"
	"strings"
)

// DidYouMean offers one to three names.
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

// Similar offers names as SystemTap does: " (similar functions: a, b)", "" without any.
func Similar(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.TrimSpace("similar "+what) + ": " + strings.Join(names, ", ") + ")"
}

// Enumerate lists at most n names, and says how many more there are.
func Enumerate(names []string, n int) string {
	if len(names) > n {
		return strings.Join(names[:n], ", ") + fmt.Sprintf(" and %d more", len(names)-n)
	}
	return strings.Join(names, ", ")
}
