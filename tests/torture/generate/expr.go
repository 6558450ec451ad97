// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"fmt"
	"strings"
)

// extremes are numbers at boundaries.
var extremes = []string{
	"0", "1", "(-1)", "2", "3", "7", "8", "10", "31", "32", "63", "64", "65", "127", "128", "255", "256", "511", "512", "4096",
	"0x7fffffff", "0x80000000", "0xffffffff", "0x100000000", "4294967295", "(-2147483648)", "0x7fffffffffffffff",
	"9223372036854775807", "(-9223372036854775808)", "(-9223372036854775807)", "0x8000000000000000", "0xffffffffffffffff", "017", "01777",
}

func (g *generator) literal() string {
	switch g.r.IntN(4) {
	case 0:
		return fmt.Sprint(g.r.IntN(20))
	case 1:
		return fmt.Sprintf("%#x", g.r.Uint64()>>g.r.IntN(64))
	}
	return g.pick(extremes)
}

// letters are the parts of strings: characters that are special somewhere, and a few ordinary ones, so
// that strings are sometimes equal.
var letters = []string{
	"a", "b", "c", "a", "b", "ab", "abc", "x", "7", "42", "0x1f", "-9", " ", ",", "%", "%d", "%s", "%%", `\n`, `\t`, `\\`, `\"`,
	`\001`, `\177`, `\200`, `\377`, "ä", "€", "'", "/", "[", "]", "*", "?", "$x", "A", "Z", "~", "0", "9223372036854775807",
}

// text returns a string literal.
func (g *generator) text() string {
	var b strings.Builder
	for range g.r.IntN(6) {
		b.WriteString(g.pick(letters))
	}
	switch g.r.IntN(30) {
	case 0:
		return `"` + strings.Repeat(b.String()+"long", 1+g.r.IntN(60)) + `"`
	case 1:
		return `"` + strings.Repeat("0123456789", 1+g.r.IntN(60)) + `"`
	case 2:
		return `"` + b.String() + `\0behind"`
	}
	return `"` + b.String() + `"`
}

var (
	arithmetic = []string{"+", "-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "&&", "||", "<", "<=", ">", ">=", "==", "!="}
	comparison = []string{"==", "!=", "<", "<=", ">", ">="}
	assignment = []string{"=", "+=", "-=", "*=", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="}
)

// value returns an expression of a type.
func (g *generator) value(t byte, depth int) string {
	if t == 's' {
		return g.str(depth)
	}
	return g.num(depth)
}

// num returns an expression whose value is a number.
func (g *generator) num(depth int) string {
	if depth <= 0 || g.chance(5) {
		if len(g.nums) > 0 && g.chance(2) {
			return g.pick(g.nums)
		}
		return g.literal()
	}
	d := depth - 1
	switch g.r.IntN(24) {
	case 0, 1, 2, 3, 4, 5:
		return fmt.Sprintf("(%s %s %s)", g.num(d), g.pick(arithmetic), g.num(d))
	case 6:
		return fmt.Sprintf("(%s(%s))", g.pick([]string{"-", "~", "!", "+"}), g.num(d))
	case 7:
		return fmt.Sprintf("(%s ? %s : %s)", g.num(d), g.num(d), g.num(d))
	case 8:
		return fmt.Sprintf("(%s %s %s)", g.str(d), g.pick(comparison), g.str(d))
	case 9:
		return fmt.Sprintf("(%s %s %s)", g.str(d), g.pick([]string{"=~", "!~"}), g.regex())
	case 10, 11:
		if v := g.assign(d); v != "" {
			return "(" + v + ")"
		}
	case 12, 13:
		if c := g.call('l', d); c != "" {
			return c
		}
	case 14, 15:
		if a := g.array('l'); a != nil {
			if e := g.element(a, d); g.changeable(a) && g.chance(3) {
				return fmt.Sprintf("(%s %s %s)", e, g.pick(assignment), g.num(d))
			} else {
				return e
			}
		}
	case 16:
		a := g.array(0)
		return fmt.Sprintf("([%s] in %s)", g.keys(a, d, g.chance(3)), a.name)
	case 17, 18:
		if s := g.figure(d); s != "" {
			return s
		}
	case 19:
		return fmt.Sprintf("strlen(%s)", g.str(d))
	case 20:
		return fmt.Sprintf("strtol(%s, %s)", g.str(d), g.pick([]string{"0", "10", "16", "8", "2", "36", "1", g.num(d)}))
	case 21:
		return fmt.Sprintf("%s(%s, %s)", g.pick([]string{"isinstr", "strpos"}), g.str(d), g.str(d))
	case 22:
		return fmt.Sprintf("stringat(%s, %s)", g.str(d), g.pick([]string{"0", "0", "1", "2", g.num(0)}))
	case 23:
		return fmt.Sprintf("isdigit(%s)", g.str(d))
	}
	return g.literal()
}

// assignable reports whether an expression may change variables that others read.
func (g *generator) assignable() bool { return !g.noAssignments }

// changeable reports whether elements of an array may be set here: in a foreach over an array they can
// only be deleted, and only in functions.
func (g *generator) changeable(a *array) bool {
	return g.assignable() && !g.isFunction && !g.visited[a.name]
}

// assign returns an assignment to a number.
func (g *generator) assign(d int) string {
	if len(g.nums) == 0 || !g.assignable() {
		return ""
	}
	v := g.pick(g.nums)
	switch g.r.IntN(4) {
	case 0:
		return g.pick([]string{"++", "--"}) + v
	case 1:
		return v + g.pick([]string{"++", "--"})
	}
	return fmt.Sprintf("%s %s %s", v, g.pick(assignment), g.num(d))
}

// str returns an expression whose value is a string.
func (g *generator) str(depth int) string {
	if depth <= 0 || g.chance(5) {
		if len(g.strs) > 0 && !g.chance(3) {
			return g.pick(g.strs)
		}
		return g.text()
	}
	d := depth - 1
	switch g.r.IntN(20) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s . %s)", g.str(d), g.str(d))
	case 4:
		s := g.str(d)
		return fmt.Sprintf("(%s . %s . %[1]s . %[1]s)", s, g.str(d))
	case 5:
		return fmt.Sprintf("(%s ? %s : %s)", g.num(d), g.str(d), g.str(d))
	case 6:
		return g.print("s", d)
	case 7, 8, 9:
		return g.printf("sprintf", d)
	case 10:
		return fmt.Sprintf("substr(%s, %s, %s)", g.str(d), g.num(d), g.num(d))
	case 11:
		return fmt.Sprintf("str_replace(%s, %s, %s)", g.str(d), g.str(d), g.str(d))
	case 12:
		return fmt.Sprintf("%s(%s)", g.pick([]string{"text_str", "string_quoted"}), g.str(d))
	case 13:
		return fmt.Sprintf("text_strn(%s, %s, %s)", g.str(d), g.num(d), g.num(d))
	case 14:
		if g.chance(2) {
			return fmt.Sprintf("tokenize(%s)", g.str(d))
		}
		return fmt.Sprintf("tokenize(%s, %s)", g.str(d), g.str(d))
	case 15, 16:
		if c := g.call('s', d); c != "" {
			return c
		}
	case 17:
		if a := g.array('s'); a != nil {
			return g.element(a, d)
		}
	case 18:
		if g.assignable() && len(g.strs) > 0 {
			return fmt.Sprintf("(%s %s %s)", g.pick(g.strs), g.pick([]string{"=", ".="}), g.str(d))
		}
	case 19:
		return fmt.Sprintf("%s(%s)", g.pick([]string{"bytes_to_string", "msecs_to_string", "usecs_to_string", "nsecs_to_string", "errno_str"}), g.num(d))
	}
	return g.text()
}

// call returns a call of one of the program's functions with a result of type t.
func (g *generator) call(t byte, d int) string {
	var list []*function
	for _, f := range g.functions {
		if f.result == t && !(g.cheap && g.loops > 0) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return g.callOf(list[g.r.IntN(len(list))], d)
}

func (g *generator) callOf(f *function, d int) string {
	args := make([]string, len(f.params))
	for i, t := range f.params {
		args[i] = g.value(t, d)
	}
	return f.name + "(" + strings.Join(args, ", ") + ")"
}

// array returns an array whose values are of type t, or any for 0; nil if
// there is none.
func (g *generator) array(t byte) *array {
	var list []*array
	for _, a := range g.arrays {
		if t == 0 || a.value == t {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[g.r.IntN(len(list))]
}

// keys returns keys for an array; with stars some of them are *.
func (g *generator) keys(a *array, d int, stars bool) string {
	keys := make([]string, len(a.keys))
	for i, t := range a.keys {
		switch {
		case stars && g.chance(2):
			keys[i] = "*"
		case t == 'l' && g.chance(2):
			keys[i] = fmt.Sprint(g.r.IntN(4)) // few different keys, so that elements are used several times
		case g.chance(2):
			keys[i] = g.value(t, 0)
		default:
			keys[i] = g.value(t, d)
		}
	}
	return strings.Join(keys, ", ")
}

func (g *generator) element(a *array, d int) string {
	return a.name + "[" + g.keys(a, min(d, 1), false) + "]"
}

// figure returns a numeric expression of a statistic.
func (g *generator) figure(d int) string {
	var s stat
	a := g.array('x')
	switch {
	case len(g.visitedStat) > 0 && g.chance(2):
		s.name = g.pick(g.visitedStat)
	case a != nil && g.chance(2):
		s = stat{a.name + "[" + g.keys(a, min(d, 1), g.chance(3)) + "]", a.stat.hist}
		if strings.Contains(s.name, "*") {
			s.hist = ""
		}
	case len(g.stats) > 0:
		s = g.stats[g.r.IntN(len(g.stats))]
	default:
		return ""
	}
	if s.hist != "" && g.chance(4) {
		return fmt.Sprintf(s.hist, s.name) + fmt.Sprintf("[%s]", g.pick([]string{"0", "1", "2", "3", g.num(0)}))
	}
	return g.pick([]string{"@count", "@sum", "@min", "@max", "@avg", "@variance", "@count", "@sum", "@count", "@sum"}) + "(" + s.name + ")"
}

// pieces are the parts of regular expressions.
var pieces = []string{
	"a", "b", "ab", "c", ".", "[abc]", "[^a]", "[[:digit:]]", "[a-z0-9]", "(a|b)", "(ab|c)", "x?", "a*", "b+", "(a*b)+", "[0-9]+", "(|a)", "%", `\\.`, "a{1,3}", "(a|ab)(c|bcd)?",
}

func (g *generator) regex() string {
	var b strings.Builder
	if g.chance(4) {
		b.WriteString("^")
	}
	for range 1 + g.r.IntN(4) {
		b.WriteString(g.pick(pieces))
	}
	if g.chance(4) {
		b.WriteString("$")
	}
	return `"` + b.String() + `"`
}

// print returns a call of print, println, printd or printdln, or of their s forms.
func (g *generator) print(prefix string, d int) string {
	name := prefix + g.pick([]string{"print", "println", "printd", "printdln"})
	var args []string
	if strings.Contains(name, "printd") {
		args = append(args, g.text(), g.value("ls"[g.r.IntN(2)], d))
	}
	for range 1 + g.r.IntN(3) {
		args = append(args, g.value("ls"[g.r.IntN(2)], d))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// printf returns a call of printf or sprintf with a random format.
func (g *generator) printf(name string, d int) string {
	var format strings.Builder
	var args []string
	for range 1 + g.r.IntN(4) {
		format.WriteString(g.pick([]string{"", " ", "|", "%%", "x=", `\n`, "ü"}))
		verb := g.pick([]string{"d", "i", "u", "x", "X", "o", "p", "c", "s", "s", "d", "b", "ld", "lld"})
		format.WriteString("%")
		if verb == "b" {
			format.WriteString(g.pick([]string{"", "1", "2", "4", "8"}) + verb)
			args = append(args, g.num(d))
			continue
		}
		for _, flag := range []string{"-", "+", " ", "#", "0"} {
			if g.chance(5) {
				format.WriteString(flag)
			}
		}
		switch g.r.IntN(6) {
		case 0:
			fmt.Fprint(&format, 1+g.r.IntN(25))
		case 1:
			format.WriteString("*")
			args = append(args, g.width())
		}
		switch g.r.IntN(6) {
		case 0:
			fmt.Fprintf(&format, ".%d", g.r.IntN(25))
		case 1:
			format.WriteString(".*")
			args = append(args, g.width())
		}
		format.WriteString(verb)
		if verb == "s" {
			args = append(args, g.str(d))
		} else {
			args = append(args, g.num(d))
		}
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(append([]string{`"` + format.String() + `"`}, args...), ", "))
}

// width returns an argument for a *: rarely a very large one.
func (g *generator) width() string {
	if g.chance(20) {
		return g.num(0)
	}
	return fmt.Sprint(g.r.IntN(40) - 10)
}
