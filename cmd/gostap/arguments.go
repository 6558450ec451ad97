// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"strings"

	"gostap/translator/syntax"
)

// argumentFiles are files of the library that have the script's arguments as
// globals, for those that look at them while they run: argc, and argv[1] to
// argv[argc]. A script may have globals of one name or the other of its own.
func argumentFiles(args []string) []*syntax.Source {
	var b strings.Builder
	b.WriteString("global argv\nprobe begin(-9223372036854775807) {\n")
	for i, arg := range args {
		fmt.Fprintf(&b, "\targv[%d] = %s\n", i+1, literal(arg))
	}
	b.WriteString("}\n")
	return []*syntax.Source{
		{Path: "<argc>", Text: fmt.Appendf(nil, "global argc = %d\n", len(args)), Origin: syntax.Tapset},
		{Path: "<argv>", Text: []byte(b.String()), Origin: syntax.Tapset},
	}
}

// literal spells a string in the language.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
