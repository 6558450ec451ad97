// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/tools"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func newTool() *cobra.Command {
	var o options
	groups := o.flags()
	cmd := &cobra.Command{
		Use:   "tool [OPTION…] [NAME [ARGUMENT…] | show NAME]",
		Short: "Run one of gostap's tools, or list them",
		Long: `tool runs the tool NAME, with its own options and arguments behind it: gostap tool NAME --help.
Without NAME it lists the tools. show prints a tool's script. The options before NAME are those
that gostap runs any script with: gostap tool --vm -c COMMAND NAME.`,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     completeTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return listTools(cmd.OutOrStdout())
			case args[0] == "show":
				return showTool(cmd.OutOrStdout(), args[1:])
			}
			tool, err := findTool(args[0])
			if err != nil {
				return err
			}
			given, err := tool.Parse(args[1:])
			if err != nil {
				return err
			}
			if given.Help {
				_, err := io.WriteString(cmd.OutOrStdout(), tool.Help())
				return err
			}
			o.source = &syntax.Source{Path: tool.Name + ".stp", Text: []byte(tool.Script)}
			// A tool whose arrays are full continues with the elements that it has.
			o.suppressErrors, o.sayFirstError = true, true
			o.args, o.run.globals = given.Arguments, append(o.run.globals, given.Globals...)
			return o.execute(cmd.Context())
		},
	}
	for _, group := range groups {
		cmd.Flags().AddFlagSet(group.flags)
	}
	cmd.Flags().SetNormalizeFunc(normalizeFlag)
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// findTool returns the tool of a name; if there is none, an error with similar names.
func findTool(name string) (*tools.Tool, error) {
	tool, err := tools.Find(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return tool, err
	}
	all, err := tools.All()
	if err != nil {
		return nil, err
	}
	var names, alike []string
	for _, t := range all {
		names = append(names, t.Name)
		if strings.Contains(t.Name, name) || strings.Contains(name, t.Name) {
			alike = append(alike, t.Name)
		}
	}
	hint := cmp.Or(suggest.Hint(name, names), "gostap tool lists them")
	if len(alike) > 0 {
		hint = "there is " + strings.Join(alike, ", ")
	}
	return nil, errors.Errorf("there is no tool %q: %s", name, hint)
}

func showTool(w io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("tool show: give one tool's NAME")
	}
	tool, err := findTool(args[0])
	if err == nil {
		_, err = io.WriteString(w, tool.Script)
	}
	return err
}

// listTools prints the tools by subject, a line each.
func listTools(w io.Writer) error {
	all, err := tools.All()
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b *tools.Tool) int { return strings.Compare(a.Subject, b.Subject) })
	longest := 0
	for _, t := range all {
		longest = max(longest, len(t.Name))
	}
	out := bufio.NewWriter(w)
	subject := ""
	for _, t := range all {
		if t.Subject != subject {
			if subject != "" {
				fmt.Fprintln(out)
			}
			subject = t.Subject
			fmt.Fprintf(out, "%s:\n", subject)
		}
		fmt.Fprintf(out, "  %-*s  %s\n", longest, t.Name, t.Summary)
	}
	return out.Flush()
}

func completeTool(cmd *cobra.Command, args []string, word string) (list []string, _ cobra.ShellCompDirective) {
	all, err := tools.All()
	if err != nil || len(args) > 1 || len(args) == 1 && args[0] != "show" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, t := range all {
		list = append(list, t.Name+"\t"+t.Summary)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
