// SPDX-License-Identifier: GPL-2.0-or-later

// Package chunkedfile reads test files that contain many scripts with their expected errors, for the
// tests of the parser and the checker.
//
// A line of three dashes separates scripts, called chunks. A comment that begins with three hashes
// lists the errors expected for its line, as quoted regular expressions, one for each error:
//
// \tprobe begin { exit( }   ### "expected an expression"
// \t---
// \tprobe begin { x = 08; y = 09 }   ### "'8' is no octal digit" "'9' is no octal digit"
// \t---
// \t#: guru yes
// \t#: args 10 abc
// \tprobe begin { x = %{ 1 %} + $1 }
//
// Every error must be expected and every expected error must occur. Lines that begin with "#: " are
// directives: a key and a value for the test that reads the chunk, returned by Directive. Line numbers
// are those in the file, for every chunk.
//
//	for _, chunk := range chunkedfile.Read(t, "testdata/errors.stp") {
//		_, diags := syntax.Parse(&syntax.Source{Path: chunk.Path, Text: chunk.Text}, env)
//		for _, d := range diags {
//			chunk.GotError(int(d.Pos.Line), d.Msg)
//		}
//		chunk.Done()
//	}
package chunkedfile

import (
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A Reporter receives failures; *testing.T is one.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A Chunk is one script of a file.
type Chunk struct {
	Path string
	Line int    // in the file, of the chunk's first line
	Text []byte // the script, with as many empty lines before it as there are lines before it in the file

	report     Reporter
	directives map[string]string
	want       map[int][]*regexp.Regexp
}

// Read returns the chunks of a file.
func Read(report Reporter, path string) []*Chunk {
	report.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		report.Fatalf("%s", err)
	}
	var chunks []*Chunk
	line := 1
	for _, text := range splitChunks(string(data)) {
		c := &Chunk{
			Path: path, Line: line, report: report,
			Text:       []byte(strings.Repeat("\n", line-1) + text),
			directives: map[string]string{}, want: map[int][]*regexp.Regexp{},
		}
		for i, l := range strings.Split(text, "\n") {
			c.line(line+i, l)
		}
		chunks = append(chunks, c)
		line += strings.Count(text, "\n") + 1
	}
	return chunks
}

// splitChunks cuts data at the lines that are "---".
func splitChunks(data string) []string {
	var chunks []string
	var b strings.Builder
	for l := range strings.Lines(data) {
		if strings.TrimSpace(l) == "---" {
			chunks = append(chunks, b.String())
			b.Reset()
			continue
		}
		b.WriteString(l)
	}
	return append(chunks, b.String())
}

// line parses the directive and the expected errors in a line.
func (c *Chunk) line(n int, text string) {
	c.report.Helper()
	if rest, ok := strings.CutPrefix(text, "#: "); ok {
		key, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
		c.directives[key] = strings.TrimSpace(value)
		return
	}
	_, rest, ok := strings.Cut(text, "###")
	if !ok {
		return
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			c.report.Errorf("%s:%d: expected quoted regular expressions after ###", c.Path, n)
			return
		}
		pattern, _ := strconv.Unquote(quoted)
		re, err := regexp.Compile(pattern)
		if err != nil {
			c.report.Errorf("%s:%d: %s", c.Path, n, err)
			return
		}
		c.want[n] = append(c.want[n], re)
		rest = rest[len(quoted):]
	}
}

// Directive returns the value of the directive "#: key value", "" if there is none.
func (c *Chunk) Directive(key string) string { return c.directives[key] }

// WantsErrors returns the number of expected errors that have not occurred yet.
func (c *Chunk) WantsErrors() int {
	n := 0
	for _, list := range c.want {
		n += len(list)
	}
	return n
}

// GotError records an error, and reports it if it is not expected on its line.
func (c *Chunk) GotError(line int, msg string) {
	c.report.Helper()
	list := c.want[line]
	for i, re := range list {
		if re.MatchString(msg) {
			c.want[line] = append(list[:i:i], list[i+1:]...)
			return
		}
	}
	c.report.Errorf("%s:%d: unexpected error: %s", c.Path, line, msg)
}

// Done reports the expected errors that did not occur.
func (c *Chunk) Done() {
	c.report.Helper()
	for line, list := range c.want {
		for _, re := range list {
			c.report.Errorf("%s:%d: expected an error that matches %q", c.Path, line, re)
		}
	}
}
