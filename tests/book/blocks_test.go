// SPDX-License-Identifier: GPL-2.0-or-later

package book

import "testing"

func TestReadPage(t *testing.T) {
	p, err := readPage("p", "`a.stp`:\n\n```stp\nprobe begin { }\n```\n\n```console\n$ one \\\n  two\nout\n# three\n$ four 'a\n  b'\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if p.files["a.stp"] != "probe begin { }\n" || len(p.commands) != 3 {
		t.Fatalf("%+v", p)
	}
	if c := p.commands[0]; c.text != "one \\\n  two" || c.prints != "out\n" || c.root || c.line != 8 {
		t.Errorf("%+v", c)
	}
	if c := p.commands[1]; c.text != "three" || c.prints != "" || !c.root {
		t.Errorf("%+v", c)
	}
	if c := p.commands[2]; c.text != "four 'a\n  b'" || c.prints != "" {
		t.Errorf("%+v", c)
	}
	for _, wrong := range []string{"```console\nout\n```\n", "```console\n$ x\n"} {
		if _, err := readPage("p", wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		page, printed string
		want          bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a\nb\n", false},
		{"a …\n", "a 12\n", true},
		{"a …c\n", "a 12\nc\n", false},
		{"…\nb\n…\n", "b\n", true},
		{"…\nb\n…\n", "a\nb\nc\n", true},
		{"…\nb\n", "a\nb\nc\n", false},
		{"a  b\n", "a b  \n", true},
		{"", "", true},
		{"", "x\n", false},
		{"a.c\n", "abc\n", false},
	} {
		if matches(c.page, c.printed) != c.want {
			t.Errorf("%q, %q: %v", c.page, c.printed, !c.want)
		}
	}
}
