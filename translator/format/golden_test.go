// SPDX-License-Identifier: GPL-2.0-or-later

package format

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A goldenCase is one line of testdata/golden.txt.
type goldenCase struct {
	line   int
	format string
	args   []Value
	want   string
}

func readGolden(t testing.TB) []goldenCase {
	f, err := os.Open("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []goldenCase
	sc := bufio.NewScanner(f)
	for line := 1; sc.Scan(); line++ {
		if text := sc.Text(); text != "" && text[0] != '#' {
			c, err := parseGolden(text)
			if err != nil {
				t.Fatalf("golden.txt:%d: %v", line, err)
			}
			c.line = line
			cases = append(cases, c)
		}
	}
	return cases
}

func parseGolden(s string) (c goldenCase, err error) {
	if c.format, s, err = goldenString(s); err != nil {
		return c, err
	}
	for {
		s = strings.TrimPrefix(s, " ")
		if rest, ok := strings.CutPrefix(s, "=> "); ok {
			c.want, s, err = goldenString(rest)
			if err == nil && s != "" {
				err = fmt.Errorf("%q follows the result", s)
			}
			return c, err
		}
		var v Value
		if strings.HasPrefix(s, `"`) {
			var text string
			if text, s, err = goldenString(s); err != nil {
				return c, err
			}
			v.S = []byte(text)
		} else {
			word, rest, _ := strings.Cut(s, " ")
			if v.N, err = strconv.ParseInt(word, 10, 64); err != nil {
				return c, err
			}
			s = rest
		}
		c.args = append(c.args, v)
	}
}

func goldenString(s string) (text, rest string, err error) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", fmt.Errorf("no string at %q", s)
	}
	text, err = strconv.Unquote(q)
	return text, s[len(q):], err
}

func TestGolden(t *testing.T) {
	cases := readGolden(t)
	if len(cases) < 120 {
		t.Errorf("%d cases in golden.txt, want 120 and more", len(cases))
	}
	for _, c := range cases {
		dirs, err := Parse(c.format)
		if err != nil {
			t.Errorf("golden.txt:%d: %v", c.line, err)
			continue
		}
		if got := string(Append(nil, dirs, c.args)); got != c.want {
			t.Errorf("golden.txt:%d: %q gives %q, want %q", c.line, c.format, got, c.want)
		}
	}
}
