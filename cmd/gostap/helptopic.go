// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate/library"
	"gostap/tools"
	"gostap/translator/suggest"
)

// newHelp makes `gostap help`: of gostap, of one of its commands or tools, or of a function or alias of the tapset library.
func newHelp() *cobra.Command {
	q := &queryOptions{}
	var reference bool
	var man string
	cmd := &cobra.Command{
		Use:   "help [ANYTHING]",
		Short: "Print this, or what is known of a command, tool, function, probe point, limit or message",
		Long: `help prints what gostap does, or what ANYTHING is: a command, a tool, a function
or an alias of the tapset library, a kind of probe point, a limit that -D sets,
a message that gostap has printed, an option; else what has all of these words
in it.

  gostap help task_pid               gostap help 'vfs.*'
  gostap help kernel.statement       gostap help MAXACTION
  gostap help division by 0          gostap help tcp drop
  gostap help --serve                gostap help opensnoop`,
		DisableFlagsInUseLine: true,
	}
	cmd.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case reference && len(args) == 0:
			return q.topics("**", printReference)
		case man != "":
			return writeManual(man, c.Root(), q)
		case len(args) == 0:
			return c.Root().Help()
		}
		for _, command := range c.Root().Commands() {
			if command.Name() == args[0] {
				return command.Help()
			}
		}
		if tool, err := tools.Find(args[0]); err == nil && len(args) == 1 {
			_, err = io.WriteString(c.OutOrStdout(), tool.Help())
			return err
		}
		return q.topics(strings.Join(args, " "), printTopics)
	}
	cmd.SetFlagErrorFunc(helpOption)
	q.flags(cmd)
	cmd.Flags().VarP((*texts)(&q.includes), "include", "I", "of tapsets in `DIR`, too")
	cmd.Flags().BoolVar(&reference, "reference", false, "print all of the library's, as Markdown")
	cmd.Flags().StringVar(&man, "man", "", "write the manual pages to `FOLDER`, as Markdown for go-md2man")
	return cmd
}

// topics prints the library's documentation of what a pattern matches.
func (q *queryOptions) topics(pattern string, text func(io.Writer, []library.Doc)) error {
	inv, err := q.prepare()
	if err != nil {
		return err
	}
	library, diags := library.Open(inv.env(nil), inv.folders()...)
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	docs := library.Doc(pattern)
	if len(docs) == 0 {
		docs = pagesAbout(pattern)
	}
	if len(docs) == 0 {
		docs, text = mentions(library.Doc("**"), pattern), printMentions
	}
	if len(docs) == 0 {
		hint := suggest.Hint(pattern, append(library.FunctionNames(), library.AliasNames()...))
		if hint == "" {
			hint = "try fewer words; gostap tool lists the tools, gostap --dump-functions, --dump-probe-aliases and --dump-probe-types what scripts can use"
		}
		return errors.Errorf("help: nothing is known of %q (%s)", pattern, hint)
	}
	return printList(docs, q.format, text)
}

// printTopics prints functions and aliases with their documentation.
func printTopics(w io.Writer, docs []library.Doc) {
	for i, d := range docs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", d.Signature)
		if d.Text == "" {
			fmt.Fprintf(w, "\n    (not documented: see %s)\n", d.File)
			continue
		}
		fmt.Fprintln(w)
		for line := range strings.Lines(d.Text) {
			fmt.Fprint(w, strings.TrimRight("    "+line, " "))
		}
		fmt.Fprintln(w)
	}
}

// printReference prints the reference of the library's own functions and aliases, a chapter for each folder.
func printReference(w io.Writer, docs []library.Doc) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	fmt.Fprintf(out, "# Functions and probe aliases\n\nMade by `%s help --reference` of the comments in `tapsets/`.\n", path.Base(os.Args[0]))
	for _, c := range chapters(docs, "") {
		fmt.Fprintf(out, "\n## %s\n", c.name)
		for _, d := range c.docs {
			fmt.Fprintf(out, "\n### `%s`\n\n%s\n", strings.TrimPrefix(strings.TrimPrefix(d.Signature, "function "), "probe "), d.Text)
		}
	}
}

// A chapter is the documentation of a folder of the library.
type chapter struct {
	name string
	docs []library.Doc // by name
}

// chapters returns the documentation of the library's own public functions and aliases whose signatures begin with kind.
func chapters(docs []library.Doc, kind string) (list []chapter) {
	byName := map[string][]library.Doc{}
	for _, d := range docs {
		if strings.HasPrefix(d.File, libraryPath) && !d.Private && strings.HasPrefix(d.Signature, kind) {
			name := path.Base(path.Dir(d.File))
			byName[name] = append(byName[name], d)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		slices.SortStableFunc(byName[name], func(a, b library.Doc) int { return cmp.Compare(a.Name, b.Name) })
		list = append(list, chapter{name, byName[name]})
	}
	return list
}
