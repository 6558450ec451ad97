// SPDX-License-Identifier: GPL-2.0-or-later

package glob

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true}, {"a*c", "abbc", true}, {"a*c", "ab", false}, {"?b", "ab", true}, {"?", "", false},
		{"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[]]", "]", true}, {"[a", "[a", true}, {`\*`, "*", true},
		{`\*`, "a", false}, {"a**b*", "aXbY", true}, {strings.Repeat("*a", 30), strings.Repeat("a", 29), false},
	} {
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("%q and %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestMatchComponents(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"syscall.open", "syscall.open", true}, {"syscall.open", "syscall.openat", false},
		{"syscall.*", "syscall.open", true}, {"syscall.*", "syscall.open.return", false}, {"syscall.*", "syscall.", true},
		{"syscall.**", "syscall.open.return", true}, {"**.return", "syscall.open.return", true}, {"**", "", true},
		{"*.return", "syscall.open.return", false}, {"*open*", "reopened", true}, {"*", "", true}, {"*.*", "a", false},
		{"***", "a.b", true}, {"a***b", "a.x.b", true}, {"a.**c.*", "a.b.c.d", true}, {"a.**c.*", "a.b.c.d.e", false},
		{"[a]*", "a", false}, {"?*", "a", false}, {strings.Repeat("*a", 30), strings.Repeat("a", 29), false},
	} {
		if got := MatchComponents(c.pattern, c.name); got != c.want {
			t.Errorf("%q and %q: %v", c.pattern, c.name, got)
		}
	}
}

// FuzzMatchComponents compares it with the equivalent regular expression.
func FuzzMatchComponents(f *testing.F) {
	f.Add("a.**.b*c", "a.x.y.bbc")
	f.Add("***x*", "axx.y")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.ContainsAny(pattern+name, "\x00\n") || !utf8.ValidString(pattern) || !utf8.ValidString(name) {
			return
		}
		expr := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*\*`, `.*`)
		expr = "^" + strings.ReplaceAll(expr, `\*`, `[^.]*`) + "$"
		if got, want := MatchComponents(pattern, name), regexp.MustCompile(expr).MatchString(name); got != want {
			t.Errorf("%q and %q: %v", pattern, name, got)
		}
	})
}
