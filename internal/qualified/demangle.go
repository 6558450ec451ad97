// SPDX-License-Identifier: GPL-2.0-or-later

package qualified

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxLength is how long demangled names may become, as a power of two: templates can make them grow without bounds.
const maxLength = 12

// IsMangled reports whether a symbol may be C++'s or Rust's.
func IsMangled(symbol string) bool {
	return strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R")
}

// Demangled returns a symbol's name as the source spells it, with its parameters in C++:
// ns::Class::method(int). Other names are returned as they are.
func Demangled(symbol string) string {
	if !IsMangled(symbol) {
		return symbol
	}
	return demangle.Filter(symbol, demangle.MaxLength(maxLength))
}

// Name is Demangled without parameters.
func Name(symbol string) string {
	if !IsMangled(symbol) {
		return symbol
	}
	return demangle.Filter(symbol, demangle.NoParams, demangle.MaxLength(maxLength))
}

// Cut cuts the parameters off a name: ns::f(int) is ns::f and (int). Names may have parentheses of their own:
// operator() and (anonymous namespace)::f.
func Cut(name string) (before, params string) {
	for i := 1; i < len(name); i++ {
		switch {
		case name[i] != '(', strings.HasPrefix(name[i:], "()") && strings.HasSuffix(name[:i], "operator"):
		case strings.HasPrefix(name[i:], anonymous) && strings.HasPrefix(name[i+len(anonymous):], "::"):
			i += len(anonymous)
		default:
			return name[:i], name[i:]
		}
	}
	return name, ""
}
