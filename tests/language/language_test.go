// SPDX-License-Identifier: GPL-2.0-or-later

// Package language_test runs scripts through all passes on the host runtime, with AddressSanitizer and
// UBSan, and compares their output with that which the language reference and stap(1) specify. The
// scripts are in *.txt, in the order of the language reference; see testCase for their format.
//
// \tgo test ./tests/language                          all of them
// \tgo test ./tests/language -run 'Language/07'       one file's
// \tgo test ./tests/language -run 'Language/.*/wrap'  by a case's name
package language_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gostap/internal/cache"
	"gostap/tests/host"
	"gostap/translator/emit"
)

func TestMain(m *testing.M) {
	linkFast()
	dir := ownCache()
	began := time.Now()
	m.Run()
	if f := flag.Lookup("test.run"); f != nil && f.Value.String() == "" {
		prune(filepath.Join(dir, "program"), began)
	}
}

// linkFast makes gcc link with gold if that is installed: for a program with sanitizers it takes a
// quarter of the default linker's time.
func linkFast() {
	gold, err := exec.LookPath("ld.gold")
	if err != nil {
		return
	}
	dir := filepath.Join(os.TempDir(), "gostap-language-ld")
	os.Mkdir(dir, 0o755)
	os.Symlink(gold, filepath.Join(dir, "ld"))
	os.Setenv("COMPILER_PATH", dir)
}

// ownCache is a cache that is separate from that of gostap's users.
func ownCache() string {
	if os.Getenv("GOSTAP_CACHE") == "" {
		os.Setenv("GOSTAP_CACHE", cache.Root()+"-language")
	}
	return cache.Root()
}

// used are the folders of the programs that have been run.
var used sync.Map

// prune deletes the programs that have not been used since the start of the suite.
func prune(dir string, began time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		_, isUsed := used.Load(path)
		if info, err := e.Info(); !isUsed && err == nil && info.ModTime().Before(began) {
			os.RemoveAll(path)
		}
	}
}

func TestLanguage(t *testing.T) {
	cases := readCases(t)
	byFile := map[string][]*testCase{}
	var files []string
	for _, c := range cases {
		if byFile[c.file] == nil {
			files = append(files, c.file)
		}
		byFile[c.file] = append(byFile[c.file], c)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, c := range byFile[file] {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t)
				})
			}
		})
	}
}

// TestEnough checks the suite's minimal size.
func TestEnough(t *testing.T) {
	if n := len(readCases(t)); n < 250 {
		t.Errorf("%d cases; there are to be 250 at least", n)
	}
}

// script is the scripts' name in messages.
const script = "test.stp"

func (c *testCase) run(t *testing.T) {
	got, err := c.passes(t.Context())
	if err != nil {
		t.Fatalf("%s.txt:%d: %v\n\n%s", c.file, c.line, err, c.script)
	}
	if got.Output != c.output {
		t.Errorf("%s.txt:%d: the output is\n%s\nand should be\n%s\n", c.file, c.line, show(got.Output), show(c.output))
	}
	if wrong := compare(splitLines(got.Stderr), c.errors); wrong != "" {
		t.Errorf("%s.txt:%d: at run time: %s\n", c.file, c.line, wrong)
	}
	if c.warnings != nil {
		if wrong := compare(got.Warnings, c.warnings); wrong != "" {
			t.Errorf("%s.txt:%d: warnings: %s\n", c.file, c.line, wrong)
		}
	}
}

// passes does the same as gostap --runtime=host.
func (c *testCase) passes(ctx context.Context) (*host.Result, error) {
	s, err := c.parseOptions()
	if err != nil {
		return nil, err
	}
	r, err := host.Run(ctx, s)
	if err == nil {
		used.Store(filepath.Dir(r.Program), true)
	}
	return r, err
}

func (c *testCase) parseOptions() (*host.Script, error) {
	o := &host.Script{Name: script, Text: c.script, Args: c.args, Tapset: c.files, Limits: emit.DefaultLimits()}
	for i := 0; i < len(c.options); i++ {
		switch flag := c.options[i]; {
		case flag == "-g":
			o.Guru = true
		case flag == "-u":
			o.Plain = true
		case strings.HasPrefix(flag, "--compatible="):
			o.Compatible = strings.TrimPrefix(flag, "--compatible=")
		case flag == "-G" && i+1 < len(c.options):
			i++
			o.Globals = append(o.Globals, c.options[i])
		case flag == "-D" && i+1 < len(c.options):
			i++
			name, value, _ := strings.Cut(c.options[i], "=")
			known, err := o.Limits.Set(name, value)
			if err != nil {
				return nil, err
			}
			if !known {
				o.Defines = append(o.Defines, c.options[i])
			}
		default:
			return nil, fmt.Errorf("unknown option %s", flag)
		}
	}
	return o, nil
}

// compare compares lines with regular expressions, which must match whole lines.
func compare(lines, patterns []string) string {
	ok := slices.EqualFunc(lines, patterns, func(line, pattern string) bool {
		re, err := regexp.Compile("^(?:" + pattern + ")$")
		return err == nil && re.MatchString(line)
	})
	if ok {
		return ""
	}
	return fmt.Sprintf("got\n%s\nand should be\n%s", show(strings.Join(lines, "\n")), show(strings.Join(patterns, "\n")))
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// show indents a text, and quotes it if it has characters that are not printable.
func show(text string) string {
	if text == "" {
		return "    (nothing)"
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r < ' ' || r == 0xfffd }) {
			line = fmt.Sprintf("%q\n", line)
		}
		b.WriteString("    " + line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
