// SPDX-License-Identifier: GPL-2.0-or-later

// Package qualified splits names of C++ and Rust, which include namespaces and types:
// ns::Class<int>::method.
package qualified

import "strings"

// anonymous is how a namespace without a name is called.
const anonymous = "(anonymous namespace)"

// Called reports whether a script that says name may mean the function or variable of that full name: the same, or without
// namespaces and types around it, or anonymous ones in it, or without a template's arguments behind it.
func Called(full, name string) bool {
	if inScopes(full, name) || strings.HasSuffix(full, ">") && inScopes(withoutArguments(full), name) {
		return true
	}
	return strings.Contains(full, "::"+anonymous+"::") && Called(strings.ReplaceAll(full, "::"+anonymous+"::", "::"), name)
}

func inScopes(full, name string) bool {
	around, ok := strings.CutSuffix(full, name)
	return ok && (around == "" || strings.HasSuffix(around, "::"))
}

// withoutArguments cuts a template's arguments off.
func withoutArguments(full string) string {
	depth := 0
	for i := len(full) - 1; i > 0; i-- {
		switch full[i] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return full[:i]
			}
		}
	}
	return full
}

// Inner returns a name without its outermost namespace or type; false if it has none.
func Inner(name string) (string, bool) {
	depth := 0
	for i := 0; i+1 < len(name); i++ {
		switch name[i] {
		case '<', '(', '{', '[':
			depth++
		case '>', ')', '}', ']':
			depth--
		case ':':
			if name[i+1] == ':' && depth == 0 {
				return name[i+2:], true
			}
		}
	}
	return "", false
}
