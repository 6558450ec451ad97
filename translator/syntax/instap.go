// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"slices"
	"strings"
)

// A stapWord maps the beginning of a message of pass 1 to SystemTap's message.
type stapWord struct{ own, stap string }

// What SystemTap says of conditionals.
const (
	conditionWanted = `expected 'arch', 'kernel_v', 'kernel_vr', 'systemtap_v',
             'runtime', 'systemtap_privilege', 'CONFIG_...', or
             comparison between strings or integers`
	conditionOpen = "incomplete conditional - missing '%('"
)

// stapWords are SystemTap's messages for those of pass 1. The first match counts.
var stapWords = []stapWord{
	{"expected 'probe', 'function'", "expected 'probe', 'global', 'private', 'function', or '%{'"},
	{"expected 'function', 'global'", "expected 'function' or identifier"},
	{"expected 'long' or 'string'", "expected 'string' or 'long'"},
	{"expected '@count'", "expected statistical operation"},
	{"expected '+' or '-' after '@", "expected sort directive"},
	{"expected '{' before the probe's handler", "expected one of ', { } = +='"},
	{"expected 'in' after the list in brackets", "unexpected comma-separated expression list"},
	{"expected ',' or ']' after the index", "expected one of '] ,'"},
	{"expected ',' or ']'", "expected ',' or ']'"},
	{"expected ',' or ')' after the parameter", "expected ',' or ')'"},
	{"expected ',' or ')'", "expected one of ', )'"},
	{"expected a probe point", "expected identifier or '*' or '{'"},
	{"expected a literal format string", "expected literal string"},
	{"expected a regular expression", "expected literal string"},
	{"expected a number or a string", "expected literal string or number"},
	{"expected a number", "expected number"},
	{"expected the function's priority", "expected literal string or number"},
	{"expected a literal string as the delimiter", "expected literal string"},
	{"expected a string as the argument", "expected string"},
	{"expected a name after '@define'", "expected identifier"},
	{"expected a condition", conditionWanted},
	{"unknown subject of a condition", conditionWanted},
	{"expected a comparison after", "expected comparison operator"},
	{"expected a string to compare 'CONFIG_", "expected string, number literal or other CONFIG_... as right side operand"},
	{"expected a string to compare the string", "expected string literal as right value"},
	{"expected a string to compare", "expected string literal"},
	{"expected '==' or '!='", "expected '==' or '!='"},
	{"expected 0 or 1", "expected 0 or 1"},
	{"expected '%?', '&&'", "expected '%?' marker for conditional"},
	{"found '%?' outside", conditionOpen},
	{"found '%:' outside", conditionOpen},
	{"found '%)' without", conditionOpen},
	{"expected one name before", "expected probe point specifier"},
	{"expected an expression", "expected literal string or number"},
	{"expected a statement", "expected literal string or number"},
	{"expected '}' at the end of the block", "expected statement"},
	{"expected an array's name after 'in'", "expected identifier or statistical operation"},
	{"expected a member's name", "expected identifier or keyword"},
	{"expected the array's size", "expected number"},
	{"expected a function's name", "expected identifier"},
	{"expected a parameter's name", "expected identifier"},
	{"expected a global variable's name", "expected identifier"},
	{"expected a variable's name", "expected identifier"},
	{"this string has no closing quote", "Could not find matching closing quote"},
	{"this embedded C has no closing", "Could not find matching '%}' to close embedded function block"},
	{"this conditional has no closing", "incomplete conditional at end of file"},
	{"the body of the macro", "incomplete macro definition - missing '%)'"},
	{"the global '", "duplicate global name"},
	{"the function '", "duplicate parameter names"},
	{"an alias's name can't be marked", "probe point alias name cannot be optional nor sufficient"},
	{"a histogram can only be", "base histogram operator where expression expected"},
	{"foreach can sort by one thing only", "multiple sort directives"},
	{"an array can't have an initial value", "only scalar globals can be initialized"},
	{"the size of the array", "array size out of range"},
	{"'return' stands outside of a function", "found 'return' not in function context"},
	{"matches and comparisons are operands", "expected literal string or number"},
	{"printf: unknown conversion", "invalid or missing conversion specifier"},
	{"printf: format ends in the middle", "invalid or missing conversion specifier"},
}

// reword sets SystemTap's message for d. A message about a single missing token names only the token.
func (d *Diagnostic) reword() *Diagnostic {
	for _, w := range stapWords {
		if strings.HasPrefix(d.Msg, w.own) {
			return d.InStap("%s", w.stap)
		}
	}
	if rest, ok := strings.CutPrefix(d.Msg, "expected '"); ok {
		if token, _, ok := strings.Cut(rest, "' "); ok {
			return d.InStap("expected '%s'", token)
		}
	}
	return d
}

// rewordAt sets what SystemTap says in d's place, the error that something was expected where there is a
// keyword, or the file ends.
func (d *Diagnostic) rewordAt(k kind) {
	switch {
	case strings.HasPrefix(d.Msg, "expected a statement") && (k == tEOF || k.isKeyword()):
		d.InStap("expected statement")
	case k != tEOF:
	case strings.HasPrefix(d.Msg, "expected an expression"):
		d.InStap("expected value")
	case slices.Contains([]string{"expected statement", "expected one of ', { } = +='", "expected ',' or ']'", "unexpected comma-separated expression list"}, d.Stap):
	default:
		d.InStap("unexpected end-of-file")
	}
}
