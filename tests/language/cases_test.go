// SPDX-License-Identifier: GPL-2.0-or-later

package language_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A testCase is one script with its expected results. In a file of cases it is
//
// \t=== its name
// \tthe script, which may also follow a line "--- script"
// \t--- args
// \tthe script's arguments, one in each line
// \t--- options
// \t-g -u -D NAME=VALUE -G NAME=VALUE --compatible=VERSION
// \t--- file NAME
// \ta file of a tapset folder, .stp or .stpm
// \t--- output
// \tthe exact output
// \t--- warning
// \tthe warnings of the passes, a regular expression for each
// \t--- error
// \tthe errors at run time, a regular expression for each line
//
// All sections except the script are optional. "--- script, quoted" and "--- quoted", for the output,
// contain Go string literals; "* 300" behind one repeats it. The text before the first case describes
// the file.
type testCase struct {
	file, name string
	line       int // of the script's first line
	script     string
	args       []string
	options    []string
	files      map[string]string // the tapset folder's files
	output     string
	warnings   []string // nil: not checked
	errors     []string
}

// readCases reads all files of cases.
func readCases(t *testing.T) []*testCase {
	t.Helper()
	names, err := filepath.Glob("[0-9]*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no files of cases: ", err)
	}
	var cases []*testCase
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		more, err := parseCases(strings.TrimSuffix(name, ".txt"), string(text))
		if err != nil {
			t.Fatalf("%s:%v", name, err)
		}
		cases = append(cases, more...)
	}
	return cases
}

func parseCases(file, text string) (cases []*testCase, err error) {
	var c *testCase
	var section string
	var content []string
	names := map[string]bool{}
	finish := func() error {
		if c == nil {
			return nil
		}
		return c.set(section, content)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		name, isCase := strings.CutPrefix(line, "=== ")
		head, isSection := strings.CutPrefix(line, "--- ")
		if !isCase && (!isSection || c == nil) {
			content = append(content, line)
			continue
		}
		if isCase && len(content) > 0 && content[len(content)-1] == "" {
			content = content[:len(content)-1] // the empty line between two cases
		}
		if err := finish(); err != nil {
			return nil, fmt.Errorf("%d: %v", i+1, err)
		}
		content = nil
		if isSection {
			section = head
			continue
		}
		if names[name] {
			return nil, fmt.Errorf("%d: there are two cases %q", i+1, name)
		}
		names[name] = true
		c = &testCase{file: file, name: name, line: i + 2, files: map[string]string{}}
		cases = append(cases, c)
		section = "script"
	}
	if err := finish(); err != nil {
		return nil, fmt.Errorf("%d: %v", len(lines), err)
	}
	return cases, nil
}

// set parses a section's lines.
func (c *testCase) set(section string, lines []string) (err error) {
	text := ""
	if len(lines) > 0 {
		text = strings.Join(lines, "\n") + "\n"
	}
	kind, arg, _ := strings.Cut(section, " ")
	switch {
	case section == "script" && c.script == "":
		c.script = text
	case section == "script, quoted":
		c.script, err = unquote(lines)
	case section == "args":
		c.args = lines
	case section == "options":
		c.options = strings.Fields(text)
	case kind == "file":
		c.files[arg] = text
	case section == "output":
		c.output = text
	case section == "quoted":
		c.output, err = unquote(lines)
	case section == "warning":
		c.warnings = append([]string{}, lines...)
	case section == "error":
		c.errors = lines
	default:
		err = fmt.Errorf("unknown section %q, or a second one", section)
	}
	return err
}

func unquote(lines []string) (string, error) {
	var b strings.Builder
	for _, line := range lines {
		literal, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", fmt.Errorf("%s: %v", line, err)
		}
		text, err := strconv.Unquote(literal)
		if err != nil {
			return "", fmt.Errorf("%s: %v", line, err)
		}
		times := 1
		if count, ok := strings.CutPrefix(line[len(literal):], " * "); ok {
			if times, err = strconv.Atoi(count); err != nil {
				return "", fmt.Errorf("%s: %v", line, err)
			}
		}
		b.WriteString(strings.Repeat(text, times))
	}
	return b.String(), nil
}
