// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate/library"
	"gostap/translator/suggest"
)

// newHelp makes `gostap help`: of gostap, of one of its commands, or of a function or alias of the tapset library.
func newHelp() *cobra.Command {
	q := &queryOptions{}
	var reference bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND | FUNCTION | ALIAS]",
		Short: "Print this, a command's help, or what a function or alias does",
		Long: `help prints what gostap does, one of its commands, or a function or an alias of the
tapset library: gostap help task_pid, gostap help vfs.read, gostap help 'vfs.*'.`,
		DisableFlagsInUseLine: true,
	}
	cmd.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case reference && len(args) == 0:
			return q.topics("**", printReference)
		case len(args) > 1:
			return errors.New("help: give one COMMAND, FUNCTION or ALIAS")
		case len(args) == 0:
			return c.Root().Help()
		}
		for _, command := range c.Root().Commands() {
			if command.Name() == args[0] {
				return command.Help()
			}
		}
		return q.topics(args[0], printTopics)
	}
	q.flags(cmd)
	cmd.Flags().StringArrayVarP(&q.includes, "include", "I", nil, "of tapsets in `DIR`, too")
	cmd.Flags().BoolVar(&reference, "reference", false, "print all of the library's, as Markdown")
	return cmd
}

// topics prints what the library says of what a pattern stands for.
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
		hint := suggest.Hint(pattern, append(library.FunctionNames(), library.AliasNames()...))
		if hint == "" {
			hint = "gostap --dump-functions and gostap --dump-probe-aliases list what there is"
		}
		return errors.Errorf("help: there is no command, function or alias %q (%s)", pattern, hint)
	}
	return printList(docs, q.format, text)
}

// printTopics prints functions and aliases with what is said of them.
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
	chapters := map[string][]library.Doc{}
	for _, d := range docs {
		if strings.HasPrefix(d.File, libraryPath) && !d.Private {
			chapter := path.Base(path.Dir(d.File))
			chapters[chapter] = append(chapters[chapter], d)
		}
	}
	var names []string
	for name := range chapters {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(out, "# Functions and probe aliases\n\nMade by `%s help --reference` of the comments in `tapsets/`.\n", path.Base(os.Args[0]))
	for _, name := range names {
		fmt.Fprintf(out, "\n## %s\n", name)
		list := chapters[name]
		sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
		for _, d := range list {
			fmt.Fprintf(out, "\n### `%s`\n\n%s\n", strings.TrimPrefix(strings.TrimPrefix(d.Signature, "function "), "probe "), d.Text)
		}
	}
}
