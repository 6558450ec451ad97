// SPDX-License-Identifier: GPL-2.0-or-later

// Package lazyregexp compiles the regular expressions of package variables
// when they are first used: a run of the program needs few of them, and
// compiling them all takes as long as parsing the tapset library.
package lazyregexp

import (
	"regexp"
	"sync"
)

// MustCompile returns a function that compiles expr at its first call, and panics if
// expr is not a valid regular expression.
func MustCompile(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
