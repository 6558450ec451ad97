// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gostap/translator/syntax/chunkedfile"
)

// testEnv is the environment of the tests' scripts.
func testEnv() *Env {
	config := map[string]string{"CONFIG_HZ": "250", "CONFIG_SMP": "y", "CONFIG_EXT4_FS": "m", "CONFIG_NAME": `"x y"`, "CONFIG_NR_CPUS": "64"}
	return &Env{
		KernelVR: "6.1.0-56-cloud-amd64", Arch: "x86_64", Runtime: "kernel", Privilege: "stapdev", StapVersion: "4.8",
		Config: func(name string) string { return config[name] },
	}
}

// chunkEnv is testEnv with the chunk's directives: guru and args.
func chunkEnv(c *chunkedfile.Chunk) *Env {
	env := testEnv()
	env.Guru = c.Directive("guru") != ""
	env.Args = strings.Fields(c.Directive("args"))
	return env
}

// TestErrors parses the chunks of testdata/errors_*.stp, in which each error is marked.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors_*.stp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	cases := 0
	for _, file := range files {
		for _, c := range chunkedfile.Read(t, file) {
			cases++
			_, diags := Parse(&Source{Path: file, Text: c.Text}, chunkEnv(c))
			for _, d := range diags {
				if !d.Pos.IsValid() {
					t.Errorf("%s:%d: error without a place: %s", file, c.Line, d.Msg)
				}
				at := d.Pos
				for at.Source.Path != file {
					at = at.Source.Expansion
				}
				c.GotError(int(at.Line), d.Msg)
			}
			c.Done()
		}
	}
	t.Logf("%d chunks", cases)
}

// TestHints checks the suggestions for misspelt words.
func TestHints(t *testing.T) {
	for _, tt := range []struct{ script, hint string }{
		{`porbe begin {}`, `did you mean "probe"?`},
		{`probe begin {} }`, `one closing brace too many?`},
		{`function f:lnog() {}`, `did you mean "long"?`},
		{`global next`, `'next' is a keyword`},
		{`probe begin { x = @dfined }`, `did you mean "@defined"?`},
		{`@define foobar %( 1 %) probe begin { x = @fobar }`, `did you mean "@foobar"?`},
		{`probe begin { foreach (a in b @cuont-) c }`, `did you mean "@count"?`},
		{`probe begin { return }`, `'next' leaves a probe's handler`},
		{`probe begin { else x }`, `there is no 'if' that this 'else' could belong to`},
		{`%( kernel_vv > "6" %? %)`, `did you mean "kernel_v"?`},
		{`%( CONFIG > "6" %? %)`, `a condition compares kernel_v, kernel_vr, arch, runtime, guru_mode, systemtap_v, systemtap_privilege, CONFIG_…, two strings or two numbers`},
		{`probe begin { x = $1 }`, `the script was given 0 arguments`},
		{`probe begin { x = @0 }`, `arguments count from 1`},
		{`probe begin { x = %{ 1 %} }`, `run the script with -g`},
		{`@define a %( 1 %) @define a %( 1 %)`, `first defined at x.stp:1:9`},
		{`global a, a`, `first declared at x.stp:1:8`},
	} {
		_, diags := Parse(&Source{Path: "x.stp", Text: []byte(tt.script)}, testEnv())
		if len(diags) == 0 || diags[0].Hint != tt.hint {
			t.Errorf("%s\n\tgot  %v\n\twant the hint %q", tt.script, diags, tt.hint)
		}
	}
}

// TestPlaces checks the output of a diagnostic within a macro or an argument.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"@define m(a) %( @a + ) %)\nprobe begin {\n\tx = @m(5)\n}", `x.stp:1:22: error: expected an expression, found ')'
    @define m(a) %( @a + ) %)
                         ^
x.stp:3:6: in this macro's expansion
`},
		{"@define m(a) %( (@a) %)\nprobe begin { x = @m(5 +) }", `x.stp:1:20: error: expected an expression, found ')'
    @define m(a) %( (@a) %)
                       ^
x.stp:2:19: in this macro's expansion
`},
		{"@define m(a) %( (@a) %)\nprobe begin { x = @m(5 * / 6) }", `x.stp:2:26: error: expected an expression, found '/'
    probe begin { x = @m(5 * / 6) }
                             ^
`},
		{"probe begin { x = $1 }", `<argument>:1:3: error: '8' is no octal digit in the number '08'
    5+08
      ^
x.stp:1:19: in this macro's expansion
`},
	} {
		env := testEnv()
		env.Args = []string{"5+08"}
		_, diags := Parse(&Source{Path: "x.stp", Text: []byte(tt.script)}, env)
		var b strings.Builder
		diags.Write(&b, false)
		if b.String() != tt.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", tt.script, b.String(), tt.want)
		}
	}
}

// TestUnterminated has the errors that can't be marked in testdata, as the mark would be in the
// unterminated token.
func TestUnterminated(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"probe begin { x = \"abc\n y = 1 }", `1:19: this string has no closing quote on its line`},
		{`probe begin { x = "abc`, `1:19: this string has no closing quote; 1:23: expected '}' at the end of the block that begins at line 1, found the end of the file`},
		{`probe begin { x = "abc\`, `1:19: this string has no closing quote; 1:24: expected '}' at the end of the block that begins at line 1, found the end of the file`},
		{"probe begin {} /* x\nprobe end {}", `1:16: this comment has no closing '*/'`},
		{"probe begin {} %{ x\nprobe end {}", `1:16: this embedded C has no closing '%}'`},
		{"%( 1 == 2 %? /* %) probe end {}", `1:1: this conditional has no closing '%)'; 1:14: this comment has no closing '*/'`},
		{"probe begin { x = 'y' }", `1:19: unexpected character '\''; 1:21: unexpected character '\''`},
		{"probe begin { x = \x00 1 }", `1:19: unexpected NUL byte`},
		{"probe begin { x = \xff\xfe 1 }", `1:19: unexpected text "\xff\xfe"`},
		{"probe begin {\n  if (x) {\n    y = 1\n\n", `3:10: expected '}' at the end of the block that begins at line 2, found the end of the file`},
		{`probe begin { x = $1 }`, `1:1: an argument may not refer to another; 1:22: expected an expression, found '}'`},
	} {
		env := testEnv()
		env.Args = []string{"$1"}
		_, diags := Parse(&Source{Path: "x", Text: []byte(tt.script)}, env)
		var got []string
		for _, d := range diags {
			got = append(got, fmt.Sprintf("%d:%d: %s", d.Pos.Line, d.Pos.Col, d.Msg))
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%q\n\tgot  %s\n\twant %s", tt.script, s, tt.want)
		}
	}
}
