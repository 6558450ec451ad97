// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

// queryOptions are the options of the commands that list what can be probed.
type queryOptions struct {
	options
	format string
}

// flags adds the shared flags to a command.
func (q *queryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&q.release, "release", "r", "", "of this kernel `RELEASE`, not of the running one")
	cmd.Flags().StringVar(&q.format, "output", "text", "`FORMAT` of the answer: text, or json (an object a line)")
	q.runtime, q.pass, q.compatible = "kernel", 2, language
}

// prepare checks the shared flags and determines the kernel.
func (q *queryOptions) prepare() (*invocation, error) {
	if err := checkFormat(q.format); err != nil {
		return nil, err
	}
	return q.newInvocation()
}

// newLines makes `gostap lines`.
func newLines() *cobra.Command {
	q := &queryOptions{}
	var folders []string
	cmd := &cobra.Command{
		Use:   "lines [OPTION…] FUNCTION|FILE [PROGRAM]",
		Short: "Show the lines of functions, and which can be probed",
		Long: `Shows the source lines of the kernel functions that FUNCTION (NAME or NAME@FILE,
with wildcards) or FILE stands for. Those with a * can be probed by
kernel.statement("NAME@FILE:LINE"); a number behind it says at how many places,
if a function is inlined. Without the source there are only the numbers. It
takes the kernel's debuginfo.

PROGRAM, a program or a library, is looked into in the kernel's place; it is
probed by process("PROGRAM").statement("NAME@FILE:LINE").`,
		Args: takes(1, 2, "one FUNCTION or FILE, and the PROGRAM if it is in one"),
		RunE: func(cmd *cobra.Command, args []string) error {
			inv, err := q.prepare()
			if err != nil {
				return err
			}
			find := query.Lines
			if len(args) > 1 {
				find = func(t *image.Target, what string, folders []string) ([]query.SourceFunc, error) {
					return query.ProgramLines(t, what, args[1], folders)
				}
			}
			list, err := find(inv.target, args[0], folders)
			if err != nil {
				return err
			}
			return printList(list, q.format, printLines)
		},
	}
	q.flags(cmd)
	cmd.Flags().Var((*texts)(&folders), "source", "look for the source in `FOLDER`, too")
	return cmd
}

func printLines(w io.Writer, list []query.SourceFunc) {
	for i, f := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s@%s:%d\n", f.Name, f.File, f.Line)
		for _, l := range f.Lines {
			mark := "  "
			switch {
			case l.Places == 1:
				mark = "* "
			case l.Places > 1:
				mark = fmt.Sprintf("*%d", l.Places)
			}
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%6d %-4s%s", l.Line, mark, l.Text), " "))
		}
	}
}

// newVars makes `gostap vars`.
func newVars() *cobra.Command {
	q := &queryOptions{}
	cmd := &cobra.Command{
		Use:   "vars [OPTION…] POINT",
		Short: "Show the target variables at a probe point",
		Long: `Shows the target variables at the places that the probe point POINT stands for,
with their types and the code at which each has a value. Parameters at a
function's entry are known from BTF; all else takes the kernel's debuginfo.`,
		Args: takes(1, 1, "one POINT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			inv, err := q.prepare()
			if err != nil {
				return err
			}
			env := inv.env(nil)
			points, diags := syntax.ParseProbePoint(args[0], env)
			if diags.Err() != nil {
				return diags
			}
			library, diags := library.Open(env, inv.folders()...)
			if err := inv.diagnose(diags); err != nil {
				return err
			}
			list, diags := query.Vars(points, library, inv.target)
			if diags.Err() != nil {
				return diags
			}
			diags.Write(os.Stderr, colorful)
			return printList(list, q.format, printVars)
		},
	}
	q.flags(cmd)
	return cmd
}

func printVars(w io.Writer, list []query.PointVars) {
	for _, p := range list {
		fmt.Fprintln(w, p.Point)
		for _, v := range p.Variables {
			line := fmt.Sprintf("  $%s: %s", v.Name, v.Type)
			switch {
			case !v.Here:
				line += " - " + v.Why
			case v.Entry:
				line += " - kept by a probe at the function's entry"
			}
			fmt.Fprintln(w, line)
			for _, r := range v.Ranges {
				fmt.Fprintln(w, "      "+r)
			}
		}
	}
}

// printList writes a list to standard output: by text, or as JSON, an object a
// line.
func printList[T any](list []T, format string, text func(io.Writer, []T)) error {
	out := bufio.NewWriter(os.Stdout)
	if format != "json" {
		text(out, list)
		return out.Flush()
	}
	for _, x := range list {
		line, err := json.Marshal(x)
		if err != nil {
			return errors.WithStack(err)
		}
		fmt.Fprintf(out, "%s\n", line)
	}
	return out.Flush()
}

// printEach writes items by their String methods, a line for each.
func printEach[T fmt.Stringer](w io.Writer, list []T) {
	for _, x := range list {
		fmt.Fprintln(w, x)
	}
}
