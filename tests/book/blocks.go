// SPDX-License-Identifier: GPL-2.0-or-later

package book

import (
	"fmt"
	"regexp"
	"strings"
)

// A page has the commands and files in a chapter of the book.
type page struct {
	name     string
	files    map[string]string
	commands []command
}

// A command is in a block of language console, behind "$ ", or "# " for one that needs root and a
// kernel; its lines may end with \, or within quotes. The lines up to the next command are its output, standard output
// and standard error.
type command struct {
	line   int // in the page, from 1
	root   bool
	text   string
	prints string
}

// fileLine matches a line that ends with the file name of the next block.
var fileLine = regexp.MustCompile("`([\\w./-]+\\.\\w+)`:$")

// readPage reads a page's fenced blocks.
func readPage(name, text string) (*page, error) {
	p := &page{name: name, files: map[string]string{}}
	var language, file, above string
	inside := false
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !inside:
			inside, language, file = true, strings.TrimSpace(fence), ""
			if m := fileLine.FindStringSubmatch(above); m != nil && language != "console" {
				file = m[1]
			}
		case isFence:
			inside = false
			above = ""
		case inside && language == "console":
			if err := p.consoleLine(i+1, line); err != nil {
				return nil, err
			}
		case inside && file != "":
			p.files[file] += line + "\n"
		case line != "":
			above = line
		}
	}
	if inside {
		return nil, fmt.Errorf("%s: a block does not end", name)
	}
	return p, nil
}

// consoleLine parses a line of a console block.
func (p *page) consoleLine(number int, line string) error {
	if len(p.commands) > 0 {
		if last := &p.commands[len(p.commands)-1]; last.prints == "" && (strings.HasSuffix(last.text, "\\") || strings.Count(last.text, "'")%2 == 1) {
			last.text += "\n" + line
			return nil
		}
	}
	for _, prompt := range []string{"$ ", "# "} {
		if text, found := strings.CutPrefix(line, prompt); found {
			p.commands = append(p.commands, command{line: number, root: prompt == "# ", text: text})
			return nil
		}
	}
	if len(p.commands) == 0 {
		return fmt.Errorf("%s:%d: no command stands before %q", p.name, number, line)
	}
	p.commands[len(p.commands)-1].prints += line + "\n"
	return nil
}

var blanks = regexp.MustCompile(`[ \t]+`)

// matches reports whether the output of a command is that in the page, where … stands for any text
// within a line, a line of … for any number of lines, and a run of blanks for one.
func matches(page, printed string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(tidy(page)) {
		if line == "…\n" {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		for i, part := range strings.Split(line, "…") {
			if i > 0 {
				pattern.WriteString(`[^\n]*`)
			}
			pattern.WriteString(regexp.QuoteMeta(part))
		}
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(tidy(printed))
}

// tidy collapses blanks, removes those at line ends, and ends the last line.
func tidy(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		b.WriteString(strings.TrimRight(blanks.ReplaceAllString(line, " "), " \n") + "\n")
	}
	return b.String()
}
