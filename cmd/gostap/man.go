// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gostap/docs"
	"gostap/elaborate/library"
	"gostap/elaborate/probetype"
)

// The manual pages, from the help of commands, docs/ and the tapsets' comments: Markdown that packages/man has go-md2man
// convert to roff. That library is not part of gostap, as initializing it takes each run of gostap a millisecond.

// writeManual writes gostap(1), a page for each command, gostapprobes(7) and gostapfuncs(7), each to NAME.SECTION.md.
func writeManual(folder string, root *cobra.Command, q *queryOptions) error {
	inv, err := q.prepare()
	if err != nil {
		return err
	}
	library, diags := library.Open(inv.env(nil), inv.folders()...)
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	commands := []*cobra.Command{newHelp()}
	for _, c := range newRoot(nil).Commands() {
		if !c.Hidden && c.Name() != "help" {
			commands = append(commands, c)
		}
	}
	sort.Slice(commands, func(i, j int) bool { return commands[i].Name() < commands[j].Name() })
	pages := map[string][]byte{"gostap.1": rootPage(commands)}
	for _, c := range commands {
		pages["gostap-"+c.Name()+".1"] = commandPage(c)
	}
	all := library.Doc("**")
	pages["gostapprobes.7"], pages["gostapfuncs.7"] = probesPage(all), funcsPage(all)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return errors.WithStack(err)
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(folder, name+".md"), page, 0o666); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
}

// heading writes the beginning of a page.
func heading(b *bytes.Buffer, name string, section int, what string) {
	short, _, _ := strings.Cut(version, ",")
	fmt.Fprintf(b, "%% %q %q %q %q %q\n# NAME\n\n%s - %s\n\n", strings.ToUpper(name), fmt.Sprint(section), "", "gostap "+short, "gostap", name, literalMarkdown(what))
}

// literalMarkdown escapes text for Markdown.
func literalMarkdown(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("\\`*_{}[]<>()#+-!:|~", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// block writes preformatted text.
func block(b *bytes.Buffer, text string) {
	b.WriteString("```\n" + strings.Trim(text, "\n") + "\n```\n\n")
}

// paragraphs writes a help text; indented lines are preformatted.
func paragraphs(b *bytes.Buffer, text string) {
	for part := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(part, "  ") {
			block(b, part)
			continue
		}
		prose, lines, found := strings.Cut(part, "\n  ")
		b.WriteString(literalMarkdown(prose) + "\n\n")
		if found {
			block(b, "  "+lines)
		}
	}
}

// flagsPage writes the descriptions of options.
func flagsPage(b *bytes.Buffer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "**" + literalMarkdown("--"+f.Name) + "**"
		if f.Shorthand != "" {
			name = "**" + literalMarkdown("-"+f.Shorthand) + "**, " + name
		}
		switch {
		case f.Value.Type() == "bool" || f.Value.Type() == "count":
		case f.NoOptDefVal != "":
			name += `\[=*` + value + `*\]`
		default:
			name += " *" + value + "*"
		}
		fmt.Fprintf(b, "%s\n: %s\n\n", name, literalMarkdown(usage))
	})
}

func rootPage(commands []*cobra.Command) []byte {
	var b bytes.Buffer
	heading(&b, "gostap", 1, "trace the running Linux kernel and programs with SystemTap scripts")
	what, usage, _ := strings.Cut(intro, "\nUsage:\n")
	usage, _, _ = strings.Cut(usage, "\nCommands:\n")
	forms, more, _ := strings.Cut(usage, "\n\n")
	b.WriteString("# SYNOPSIS\n\n")
	block(&b, forms)
	b.WriteString("# DESCRIPTION\n\n")
	paragraphs(&b, strings.Trim(what, "\n"))
	paragraphs(&b, strings.Trim(more, "\n"))
	b.WriteString("# COMMANDS\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "**%s**(1)\n: %s\n\n", literalMarkdown("gostap-"+c.Name()), literalMarkdown(c.Short))
	}
	b.WriteString("# OPTIONS\n\n")
	for _, g := range (&options{}).flags() {
		fmt.Fprintf(&b, "## %s\n\n", g.title)
		flagsPage(&b, g.flags)
	}
	b.WriteString("# LIMITS\n\n**-D** *NAME*=*VALUE* sets them.\n\n")
	for _, l := range docs.Limits() {
		fmt.Fprintf(&b, "**%s**\n: %s\n\n", literalMarkdown(l.Name), literalMarkdown(plain(l.Text)))
	}
	about, messages := docs.Errors()
	b.WriteString("# DIAGNOSTICS\n\n" + literalMarkdown(plain(about)) + "\n\n")
	definitions(&b, messages)
	b.WriteString("# SEE ALSO\n\n**gostapprobes**(7), **gostapfuncs**(7)\n")
	return b.Bytes()
}

func commandPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	heading(&b, "gostap-"+c.Name(), 1, c.Short)
	b.WriteString("# SYNOPSIS\n\n**gostap** " + literalMarkdown(c.Use) + "\n\n# DESCRIPTION\n\n")
	text := c.Long
	if text == "" {
		text = c.Short
	}
	paragraphs(&b, text)
	b.WriteString("# OPTIONS\n\n")
	flagsPage(&b, c.Flags())
	b.WriteString("# SEE ALSO\n\n**gostap**(1)\n")
	return b.Bytes()
}

// definitions writes topics below the headings of their chapters.
func definitions(b *bytes.Buffer, topics []docs.Topic) {
	chapter := ""
	for _, t := range topics {
		if t.Chapter != chapter {
			chapter = t.Chapter
			fmt.Fprintf(b, "## %s\n\n", chapter)
		}
		fmt.Fprintf(b, "**%s**\n: %s\n\n", literalMarkdown(t.Name), literalMarkdown(strings.ReplaceAll(plain(t.Text), "\n", " ")))
	}
}

func probesPage(all []library.Doc) []byte {
	var b bytes.Buffer
	heading(&b, "gostapprobes", 7, "probe points of gostap's scripts")
	about, kinds := docs.Probes()
	b.WriteString("# DESCRIPTION\n\n" + literalMarkdown(plain(about)) + "\n\n# KINDS OF PROBE POINTS\n\n")
	definitions(&b, kinds)
	b.WriteString("# ALL FORMS\n\n")
	block(&b, strings.Join(probetype.Patterns(), "\n"))
	b.WriteString("# ALIASES OF THE TAPSET LIBRARY\n\n")
	libraryPart(&b, all, "probe ")
	b.WriteString("# SEE ALSO\n\n**gostap**(1), **gostapfuncs**(7)\n")
	return b.Bytes()
}

func funcsPage(all []library.Doc) []byte {
	var b bytes.Buffer
	heading(&b, "gostapfuncs", 7, "functions of gostap's tapset library")
	b.WriteString("# DESCRIPTION\n\nFunctions that scripts may call. A parameter or result of type long is a number of 64 bits.\n\n# FUNCTIONS\n\n")
	libraryPart(&b, all, "function ")
	b.WriteString("# SEE ALSO\n\n**gostap**(1), **gostapprobes**(7)\n")
	return b.Bytes()
}

// libraryPart writes the library's documentation of functions or aliases, by folders.
func libraryPart(b *bytes.Buffer, all []library.Doc, kind string) {
	for _, c := range chapters(all, kind) {
		fmt.Fprintf(b, "## %s\n\n", c.name)
		for _, d := range c.docs {
			text := strings.Join(strings.Fields(d.Text), " ")
			fmt.Fprintf(b, "**%s**\n: %s\n\n", literalMarkdown(strings.TrimPrefix(d.Signature, kind)), literalMarkdown(text))
		}
	}
}
