// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"
	"path/filepath"
	"strings"
)

// rcOptions returns the options of $SYSTEMTAP_DIR/rc, which come before those of stap's command line. Words may
// be quoted; lines that begin with # are comments.
func rcOptions() (words []string) {
	dir := os.Getenv("SYSTEMTAP_DIR")
	if dir == "" {
		home := os.Getenv("HOME")
		if home == "" {
			return nil
		}
		dir = filepath.Join(home, ".systemtap")
	}
	text, err := os.ReadFile(filepath.Join(dir, "rc"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			words = append(words, splitWords(line)...)
		}
	}
	return words
}

// splitWords splits a line at white space that is not quoted.
func splitWords(line string) (words []string) {
	var word strings.Builder
	open, inWord := rune(0), false
	for _, r := range line {
		switch {
		case open != 0 && r == open:
			open = 0
		case open == 0 && (r == '\'' || r == '"'):
			open, inWord = r, true
		case open == 0 && strings.ContainsRune(" \t\r\n", r):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
