// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gostap/docs"
	"gostap/elaborate/library"
	"gostap/internal/lazyregexp"
)

// gostap help for topics in the pages of docs/, and the search by words.

// pages returns all topics of docs/, in the form of the library's documentation.
func pages() (list []library.Doc) {
	_, probes := docs.Probes()
	_, messages := docs.Errors()
	for _, p := range []struct {
		kind, file string
		topics     []docs.Topic
	}{{"word", "docs/LANGUAGE.md", docs.Words()}, {"probe point", "docs/PROBES.md", probes}, {"limit", "docs/LIMITS.md", docs.Limits()}, {"message", "docs/ERRORS.md", messages}} {
		for _, t := range p.topics {
			list = append(list, library.Doc{Name: t.Name, Signature: p.kind + " " + t.Name, Text: strings.Join(wrap(plain(t.Text), lastColumn-4), "\n"), File: p.file})
		}
	}
	return list
}

// plain is Markdown as text.
func plain(text string) string {
	return link().ReplaceAllString(strings.ReplaceAll(text, "`", ""), "$1")
}

var link = lazyregexp.MustCompile(`\[([^][]+)\]\([A-Z-]+\.md(?:#[a-z-]*)?\)`)

// pagesAbout returns the topics of a name: a word of the language, a probe point, a limit, or a message that has been printed.
func pagesAbout(name string) (found []library.Doc) {
	var message docs.Topic
	if strings.Contains(name, " ") { // a single word is searched in all documentation
		message, _ = docs.Message(name)
	}
	for _, p := range pages() {
		kind, _, _ := strings.Cut(p.Signature, " "+p.Name)
		switch {
		case kind == "word" && p.Name == name,
			kind == "limit" && strings.EqualFold(p.Name, name),
			kind == "probe point" && spellsPoint(p.Name, name),
			kind == "message" && p.Name == message.Name:
			found = append(found, p)
		}
	}
	return found
}

var (
	arguments  = lazyregexp.MustCompile(`\([^)]*\)?`)
	timerUnits = lazyregexp.MustCompile(`^timer\.(s|sec|ms|msec|us|usec|ns|nsec|jiffies)\b`)
)

// spellsPoint reports whether a heading of docs/PROBES.md, points separated by commas, contains the point, with any arguments.
func spellsPoint(heading, point string) bool {
	shape := func(text string) string { return arguments().ReplaceAllString(strings.TrimSpace(text), "") }
	point = timerUnits().ReplaceAllString(shape(point), "timer.UNIT")
	if strings.HasPrefix(point, "perf.") {
		for _, level := range []string{"hw", "sw"} {
			if event := "perf." + level + "."; strings.HasPrefix(point, event) {
				point = event + "EVENT"
			}
		}
	}
	base := ""
	for part := range strings.SplitSeq(strings.ReplaceAll(heading, ", with ", ", "), ", ") {
		if strings.HasPrefix(part, ".") {
			part = base + part
		} else if base == "" || !strings.HasPrefix(heading, ".") {
			base = part
		}
		if shape(part) == point {
			return true
		}
	}
	return false
}

// mentions returns the topics with all the words in name or text; those with names come first.
func mentions(all []library.Doc, words string) (found []library.Doc) {
	inName := func(d library.Doc) bool { return hasAll(d.Name, words) }
	for _, d := range slices.Concat(toolTopics(), all, optionTopics(), pages()) {
		if !d.Private && (inName(d) || hasAll(d.Name+" "+d.Text, words)) {
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(a, b library.Doc) int {
		switch {
		case inName(a) == inName(b):
			return 0
		case inName(a):
			return -1
		}
		return 1
	})
	return found
}

func hasAll(text, words string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// printMentions prints a line for each topic.
func printMentions(w io.Writer, list []library.Doc) {
	for _, d := range list {
		sentence, _, _ := strings.Cut(strings.Join(strings.Fields(d.Text), " ")+" ", ". ")
		fmt.Fprintf(w, "%s\n    %s\n", strings.TrimPrefix(strings.TrimPrefix(d.Signature, "function "), "probe "),
			strings.Join(wrap(sentence, lastColumn-4), "\n    "))
	}
}
