// SPDX-License-Identifier: GPL-2.0-or-later

package runtimec

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// runC compiles file with core, sanitizers on, and runs it.
func runC(t *testing.T, file string) {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "test")
	core, err := filepath.Glob("core/*.c")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fwrapv", "-fsanitize=address,undefined", "-fno-sanitize-recover",
		"-Iinclude", "-Itestdata", "-o", exe, file}, core...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	if out, err := exec.Command(exe).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestCore(t *testing.T) {
	files, err := filepath.Glob("testdata/*_test.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			runC(t, file)
		})
	}
}

// TestGolden runs sprintf on the cases that it shares with translator/format.
func TestGolden(t *testing.T) {
	f, err := os.Open("../translator/format/testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c strings.Builder
	c.WriteString("#include \"stubs.h\"\n\nint main(void)\n{\n\tchar to[16384];\n\tstruct gs_str s;\n\n")
	cases := 0
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if line := lines.Text(); line != "" && line[0] != '#' {
			goldenCase(t, &c, n, line)
			cases++
		}
	}
	if cases < 120 {
		t.Errorf("only %d cases", cases)
	}
	c.WriteString("\treturn !!failures;\n}\n")
	file := filepath.Join(t.TempDir(), "golden.c")
	if err := os.WriteFile(file, []byte(c.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	runC(t, file)
}

// goldenCase writes C that checks one line: FORMAT ARGUMENT... => RESULT
func goldenCase(t *testing.T, c *strings.Builder, n int, line string) {
	var texts []string
	var args []string
	rest := line
	for rest != "" {
		if s, err := strconv.QuotedPrefix(rest); err == nil {
			text, err := strconv.Unquote(s)
			if err != nil {
				t.Fatalf("golden.txt:%d: %v", n, err)
			}
			texts = append(texts, text)
			if len(texts) > 1 {
				args = append(args, fmt.Sprintf("{ .s = { %s, %d } }", cText(text), len(text)))
			}
			rest = strings.TrimPrefix(rest[len(s):], " ")
			continue
		}
		word, after, _ := strings.Cut(rest, " ")
		if rest = after; word == "=>" {
			continue
		}
		if word == "-9223372036854775808" {
			word = "GS_MIN"
		} else {
			word += "LL"
		}
		args = append(args, fmt.Sprintf("{ .n = %s }", word))
	}
	want := texts[len(texts)-1]
	fmt.Fprintf(c, "\t{\n\t\tunion gs_arg args[] = { %s };\n", strings.Join(args, ", "))
	fmt.Fprintf(c, "\t\ts = gs_format(to, sizeof(to), %s, args);\n", cText(texts[0]))
	fmt.Fprintf(c, "\t\tif (s.len != %d || memcmp(s.s, %s, %d)) {\n", len(want), cText(want), len(want))
	fmt.Fprintf(c, "\t\t\tfprintf(stderr, \"golden.txt:%d: got \\\"%%.*s\\\"\\n\", (int)s.len, s.s);\n\t\t\tfailures++;\n\t\t}\n\t}\n", n)
}

func cText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '?' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
