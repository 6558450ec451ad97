// SPDX-License-Identifier: GPL-2.0-or-later

// Package docs has the pages of this folder that gostap help and the manual pages are made of.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed PROBES.md
var probes string

//go:embed LIMITS.md
var limits string

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

// entries splits a page at its headings: "## CHAPTER" and "### NAME".
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
	return intro, topics
}

// limitRow is a row of the table of limits: name, default, what it limits, what happens beyond it.
var limitRow = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|([^|]*)\\|([^|]*)\\|([^|]*)\\|$")

// Limits returns what -D sets.
func Limits() (topics []Topic) {
	for _, m := range limitRow.FindAllStringSubmatch(limits, -1) {
		text := "Limits " + strings.TrimSpace(m[3]) + ". Default: " + strings.TrimSpace(m[2]) + "."
		if beyond := strings.TrimSpace(m[4]); beyond != "" {
			text += " Beyond it: " + beyond + "."
		}
		topics = append(topics, Topic{Name: m[1], Text: text + " Set it with -D " + m[1] + "=VALUE."})
	}
	return topics
}
