// SPDX-License-Identifier: GPL-2.0-or-later

// Package docs has the pages of this folder that gostap help and the manual pages are made of.
package docs

import (
	_ "embed"
	"strings"

	"gostap/internal/lazyregexp"
)

//go:embed PROBES.md
var probes string

//go:embed LIMITS.md
var limits string

//go:embed LANGUAGE.md
var language string

//go:embed ERRORS.md
var messages string

// A Topic is what a page says of one thing.
type Topic struct {
	Name    string // what it is called: "MAXACTION", a probe point, a message
	Chapter string // the heading above it; "" if there is none
	Text    string // Markdown
}

// Probes returns the kinds of probe points, in their order, and what stands before them.
func Probes() (intro string, topics []Topic) { return entries(probes) }

// Errors returns messages, in which … stands for what differs.
func Errors() (intro string, topics []Topic) { return entries(messages) }

// entries splits a page at its headings: "## CHAPTER" and "### NAME"; of names that follow each other, all have the text of the last.
func entries(page string) (intro string, topics []Topic) {
	chapter := ""
	for i, part := range strings.Split("\n"+page, "\n#") {
		heading, text, _ := strings.Cut(part, "\n")
		text = strings.TrimSpace(text)
		switch name, found := strings.CutPrefix(heading, "## "); {
		case found:
			topics = append(topics, Topic{Name: strings.ReplaceAll(name, "`", ""), Chapter: chapter, Text: text})
		case strings.HasPrefix(heading, "# "):
			chapter = heading[2:]
		case i == 1:
			intro = text
		}
	}
	for i := len(topics) - 2; i >= 0; i-- {
		if next := topics[i+1]; topics[i].Text == "" && topics[i].Chapter == next.Chapter {
			topics[i].Text = next.Text
		}
	}
	return intro, topics
}

// limitRow is a row of the table of limits: name, default, what it limits, what happens beyond it.
var limitRow = lazyregexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|([^|]*)\\|([^|]*)\\|([^|]*)\\|$")

// Limits returns what -D sets.
func Limits() (topics []Topic) {
	for _, m := range limitRow().FindAllStringSubmatch(limits, -1) {
		text := "Limits " + strings.TrimSpace(m[3]) + ". Default: " + strings.TrimSpace(m[2]) + "."
		if beyond := strings.TrimSpace(m[4]); beyond != "" {
			text += " Beyond it: " + beyond + "."
		}
		topics = append(topics, Topic{Name: m[1], Text: text + " Set it with -D " + m[1] + "=VALUE."})
	}
	return topics
}

// wordRow is a row of the table of the language's words: some that belong together, and what they do.
var wordRow = lazyregexp.MustCompile("(?m)^\\| (`\\S+`(?: `\\S+`)*) \\| (.*) \\|$")

// Words returns the words of the language, such as foreach and @count.
func Words() (topics []Topic) {
	for _, m := range wordRow().FindAllStringSubmatch(language, -1) {
		for name := range strings.FieldsSeq(strings.ReplaceAll(m[1], "`", "")) {
			topics = append(topics, Topic{Name: name, Text: m[2]})
		}
	}
	return topics
}

// Message returns the entry of a message as it was printed: of those that it fits the one that has most letters in common with it.
func Message(text string) (entry Topic, found bool) {
	_, list := Errors()
	most := 0
	for _, t := range list {
		if n := fits(t.Name, text); n > most {
			most, entry, found = n, t, true
		}
	}
	return entry, found
}

// fits returns how many bytes of an entry's name, whose … are any text, a message has in the same order; 0 if it lacks some.
func fits(name, text string) (n int) {
	for part := range strings.SplitSeq(name, "…") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		_, rest, found := strings.Cut(text, part)
		if !found {
			return 0
		}
		n, text = n+len(part), rest
	}
	return n
}
