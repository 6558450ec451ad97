// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"strings"

	"gostap/translator/syntax"
)

// argumentFiles are files of the library that have the script's arguments as
// globals, for scripts that read them at run time: argc, argv[1] to
// argv[argc], and argv_1 to argv_32, which are "" without such an argument.
// A script may have globals of these names of its own.
func argumentFiles(args []string) []*syntax.Source {
	var b strings.Builder
	b.WriteString("global argv\nprobe begin(-9223372036854775807) {\n")
	for i, arg := range args {
		fmt.Fprintf(&b, "\targv[%d] = %s\n", i+1, literal(arg))
	}
	b.WriteString("}\n")
	files := []*syntax.Source{
		{Path: "<argc>", Text: fmt.Appendf(nil, "global argc = %d\n", len(args)), Origin: syntax.Tapset},
		{Path: "<argv>", Text: []byte(b.String()), Origin: syntax.Tapset},
	}
	for n := 1; n <= max(32, len(args)); n++ {
		text := ""
		if n <= len(args) {
			text = args[n-1]
		}
		files = append(files, &syntax.Source{Path: "<argv_>", Text: fmt.Appendf(nil, "global argv_%d = %s\n", n, literal(text)), Origin: syntax.Tapset})
	}
	return files
}

// unusedArguments warns of the arguments that the script does not use.
func (inv *invocation) unusedArguments() (diags syntax.Diagnostics) {
	for _, g := range inv.program.Globals {
		if path := g.At.Source.Path; path == "<argc>" || strings.HasPrefix(path, "<argv") {
			return nil
		}
	}
	for i := range inv.argsUsed {
		if !inv.argsUsed[i].Load() {
			diags = append(diags, &syntax.Diagnostic{Severity: syntax.Warning, Msg: fmt.Sprintf("unused command line option $%d/@%[1]d", i+1)})
		}
	}
	return diags
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
