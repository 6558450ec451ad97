// SPDX-License-Identifier: GPL-2.0-or-later

package regex

import (
	"errors"
	"math/rand"
	"regexp"
	"strings"
	"testing"
)

// matches runs the DFA, as runtime-c/core/regex.c does.
func (re *Regex) matches(s string) bool {
	state := 0
	for i := range len(s) {
		if re.Accepts[state]&1 != 0 {
			return true
		}
		state = int(re.Next[state*re.NClass+int(re.Classes[s[i]])])
	}
	return re.Accepts[state] != 0
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a)":                      "unmatched )",
		"(a":                      "( without its )",
		"[a":                      "[ without its ]",
		"*a":                      "* repeats nothing",
		"a{2,1}":                  "wrong way round",
		"a{":                      "{ without a number",
		"a{999}":                  "more than 255",
		"a\\":                     "\\ at the end",
		"\\1":                     "back-references",
		"[[:foo:]]":               "unknown character class",
		"[[:]":                    "[: without its :]",
		"[[:]a:]":                 "unknown character class",
		"[z-a]":                   "wrong way round",
		"((a{200}){200})":         "more than 2000 states",
		"(a|b)*a(a|b){12}":        "automaton",
		strings.Repeat("(", 2000): "nest too deep",
	} {
		if _, err := Compile(text, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

// TestBackslashes compares the two ways to read a backslash.
func TestBackslashes(t *testing.T) {
	for _, c := range []struct {
		expr, text       string
		matches, asStaps bool
	}{
		{`^\w$`, "a", true, false},
		{`^\w$`, "w", true, true},
		{`^\.$`, "a", false, false},
		{`^[\]$`, `\`, true, false},
		{`^[\d]$`, `\`, true, false},
		{`^[a\]b]$`, "]", false, true},
		{`^[^\]]$`, "]", false, false},
	} {
		for _, asStap := range []bool{false, true} {
			want := c.matches
			if asStap {
				want = c.asStaps
			}
			re, err := Compile(c.expr, asStap)
			if err != nil {
				if want {
					t.Errorf("%q: %v", c.expr, err)
				}
			} else if got := re.matches(c.text); got != want {
				t.Errorf("%q matches %q: %v, as stap: %v", c.expr, c.text, got, asStap)
			}
		}
	}
	for _, text := range []string{`\d`, `\1`, `\b`} {
		if re, err := Compile(text, true); err != nil || !re.matches(text[1:]) || re.matches("x") {
			t.Errorf("%q as stap: %v", text, err)
		}
	}
}

// TestAgainstGo compares with Go's engine on random expressions and strings.
func TestAgainstGo(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	var expr func(depth int) string
	expr = func(depth int) string {
		switch n := rnd.Intn(11); {
		case depth == 0 || n < 3:
			return string("abc."[rnd.Intn(4)])
		case n < 4:
			return "[" + []string{"", "^"}[rnd.Intn(2)] + []string{"ab", "a-b", "b-c"}[rnd.Intn(3)] + "]"
		case n < 6:
			return expr(depth-1) + expr(depth-1)
		case n < 7:
			return "(" + expr(depth-1) + "|" + expr(depth-1) + ")"
		case n < 9:
			return "(" + expr(depth-1) + ")" + []string{"*", "+", "?", "{2}", "{1,3}", "{0,1}", "{2,}"}[rnd.Intn(7)]
		case n < 10:
			return "^" + expr(depth-1)
		}
		return expr(depth-1) + "$"
	}
	for range 3000 {
		text := expr(4)
		re, err := Compile(text, false)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		std := regexp.MustCompile(`(?s)` + text)
		for range 20 {
			s := make([]byte, rnd.Intn(8))
			for i := range s {
				s[i] = "abcd"[rnd.Intn(4)]
			}
			if got, want := re.matches(string(s)), std.Match(s); got != want {
				t.Fatalf("%s on %q: %t, want %t", text, s, got, want)
			}
		}
	}
}

// TestOthersPanics: a panic that is not an error in the expression is not caught.
func TestOthersPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a panic of the package's own was swallowed")
		}
	}()
	func() (err error) {
		defer caught(&err)
		panic("index out of range")
	}()
}

// FuzzCompile: an expression is compiled or rejected.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"", "^a|b$", "(a*)+[^b-d]{2,3}", "[[:alpha:]_-]", "\\w\\.\\(x", "((a|b){3}c?)*", "[]a]", "a**", "(|a)", "^*", "\\", "[a-"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		re, err := Compile(text, false)
		var e *Error
		switch {
		case err != nil && !errors.As(err, &e):
			t.Errorf("%.200q: %v", text, err)
		case err == nil:
			re.matches("abc")
		}
	})
}
