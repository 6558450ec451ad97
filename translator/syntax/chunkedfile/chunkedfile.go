// SPDX-License-Identifier: GPL-2.0-or-later

// Package chunkedfile reads test files that hold many scripts, each with the
// errors that are expected of it. The parser's and the checker's tests share
// it.
//
// A line of three dashes parts one script, a chunk, from the next. A comment
// that begins with three hashes says which errors its line must get, as quoted
// regular expressions, one for each:
//
//	probe begin { exit( }   ### "expected an expression"
//	---
//	probe begin { x = 08; y = 09 }   ### "'8' is no octal digit" "'9' is no octal digit"
//	---
//	#: guru yes
//	#: args 10 abc
//	probe begin { x = %{ 1 %} + $1 }
//
// Every error must be expected and every expectation met. Lines that begin with
// "#: " are directives: a key and a value for the test that reads the chunk, as
// Directive returns them. Lines are numbered as in the file, whatever chunk
// they are in.
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

// A Reporter is told of what is wrong; *testing.T is one.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A Chunk is one script of a file.
type Chunk struct {
	Path string
	Line int    // of the file, on which the chunk begins
	Text []byte // the script, after as many empty lines as stand before it in the file

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

// line notes what a line says to the test.
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

// Directive returns the value of the directive "#: key value", "" if there is
// none.
func (c *Chunk) Directive(key string) string { return c.directives[key] }

// WantsErrors returns how many errors the chunk expects that GotError has not
// been told of.
func (c *Chunk) WantsErrors() int {
	n := 0
	for _, list := range c.want {
		n += len(list)
	}
	return n
}

// GotError reports an error that is not expected on its line.
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

// Done reports the errors that were expected and didn't come.
func (c *Chunk) Done() {
	c.report.Helper()
	for line, list := range c.want {
		for _, re := range list {
			c.report.Errorf("%s:%d: expected an error that matches %q", c.Path, line, re)
		}
	}
}
