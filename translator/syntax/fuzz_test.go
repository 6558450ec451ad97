// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seed adds the chunks of testdata, and some difficult scripts.
func seed(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.stp")
	if err != nil || len(files) == 0 {
		f.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for chunk := range bytes.SplitSeq(text, []byte("---\n")) {
			f.Add(chunk)
		}
	}
	for _, s := range []string{
		"\x00\xff\xfe", "\r\n\r", "probe begin { x = \"a\\\r\nb\" }\r\n",
		strings.Repeat("(", 3000), strings.Repeat("{", 3000), "probe begin {" + strings.Repeat("!", 3000),
		"@define a %( @b @b %) @define b %( @c @c %) @define c %( @d @d %) @define d %( 1 %) @a",
		strings.Repeat("%( 1 == 1 %? ", 3000),
	} {
		f.Add([]byte(s))
	}
}

// fuzzEnv is the environment of the fuzzers' scripts.
func fuzzEnv() *Env {
	env := testEnv()
	env.Guru = true
	env.Args = []string{"1", "begin", `"x" + y`, "%( 1 == 1 %?", "@define z %( 1 %)", "$1"}
	return env
}

// FuzzScanner checks that tokens cover the text in its order and that their positions are right.
func FuzzScanner(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		src := &Source{Path: "x", Text: text}
		s := newScanner(src)
		line, lineStart, counted := 1, 0, 0
		for last := 0; ; {
			tok := s.next()
			if tok.kind == tEOF {
				break
			}
			if s.off <= last {
				t.Fatalf("no progress at offset %d", last)
			}
			last = s.off
			for ; counted < s.begin; counted++ {
				if text[counted] == '\n' {
					line, lineStart = line+1, counted+1
				}
			}
			if int(tok.pos.Line) != line || int(tok.pos.Col) != s.begin-lineStart+1 {
				t.Fatalf("token at offset %d: got place %s, want %d:%d", s.begin, tok.pos, line, s.begin-lineStart+1)
			}
		}
	})
}

// FuzzPreprocessor checks that the stream of tokens ends.
func FuzzPreprocessor(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		var diags Diagnostics
		pp := newPreprocessor(&Source{Path: "x", Text: text}, fuzzEnv(), &diags)
		for n := 0; ; n++ {
			tok := pp.next()
			if tok.kind == tEOF {
				break
			}
			if !tok.pos.IsValid() {
				t.Fatalf("token %v has no place", tok)
			}
			if n > maxMacroTokens+len(text)+1 {
				t.Fatal("too many tokens")
			}
		}
	})
}

// FuzzParser checks that each diagnostic has a position and that each file that parses keeps its tree
// when printed.
func FuzzParser(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		file, diags := Parse(&Source{Path: "x", Text: text}, fuzzEnv())
		for _, d := range diags {
			if !d.Pos.IsValid() || d.Msg == "" {
				t.Fatalf("diagnostic %v has no place or text", d)
			}
		}
		if len(diags) > 3*maxErrors {
			t.Fatalf("%d diagnostics", len(diags))
		}
		diags.Write(&bytes.Buffer{}, true)
		if diags.Err() != nil {
			return
		}
		var b bytes.Buffer
		if err := Print(&b, file); err != nil {
			t.Fatal(err)
		}
		again, diags := Parse(&Source{Path: "y", Text: b.Bytes()}, fuzzEnv())
		if err := diags.Err(); err != nil {
			if strings.Contains(err.Error(), "nested more than") {
				return // redundant parentheses in the text
			}
			t.Fatalf("the printed text doesn't parse: %s\n%s", err, b.Bytes())
		}
		if !Equal(file, again) {
			t.Fatalf("the printed text parses to another tree:\n%s", b.Bytes())
		}
	})
}

// FuzzFormat checks that the formatted text has the same tokens and is formatted to itself.
func FuzzFormat(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		src := &Source{Path: "x", Text: text}
		out, diags := Format(src)
		if diags.Err() != nil {
			return
		}
		laidOut := &Source{Path: "y", Text: out}
		if a, b := tokenTexts(src), tokenTexts(laidOut); !bytes.Equal(a, b) {
			t.Fatalf("other tokens:\n%q\n%q\n%s", a, b, out)
		}
		twice, _ := Format(laidOut)
		if !bytes.Equal(out, twice) {
			t.Fatalf("not a fixed point:\n%s\nand then:\n%s", out, twice)
		}
		file, diags := Parse(src, fuzzEnv())
		again, diags2 := Parse(laidOut, fuzzEnv())
		if (diags.Err() == nil) != (diags2.Err() == nil) {
			t.Fatalf("%v became %v in\n%s", diags, diags2, out)
		}
		if diags.Err() == nil && !Equal(file, again) {
			t.Fatalf("another tree:\n%s", out)
		}
	})
}

// tokenTexts returns the text of src without white space and comments.
func tokenTexts(src *Source) []byte {
	items, _ := scanItems(src)
	var b bytes.Buffer
	for _, it := range items {
		if !it.comment {
			b.WriteString(it.text)
			b.WriteByte(' ')
		}
	}
	return b.Bytes()
}
