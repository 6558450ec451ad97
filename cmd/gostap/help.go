// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const intro = `gostap runs a SystemTap script: it names points in the running kernel and says
what to do there. Five passes parse, elaborate, translate, build and run it.

  sudo gostap examples/vfs-reads.stp        on this machine's kernel
  gostap --vm examples/vfs-reads.stp        on a kernel in a throwaway VM
  gostap --runtime=host examples/hello.stp  as an ordinary process, no kernel
  gostap -L 'kernel.function("vfs_*")'      what can be probed there
  gostap -p4 -m NAME FILE                   only builds NAME.ko …
  sudo gostap run NAME.ko                   … and this runs it, any time after

Usage:
  gostap [OPTION…] FILE [ARGUMENT…]
  gostap [OPTION…] -e SCRIPT [ARGUMENT…]
  gostap COMMAND …

FILE may be - for standard input. Arguments are $1, @1 … in the script. Options
may stand anywhere before --, which ends them.

Commands:
`

// help prints gostap's own help.
func help(w io.Writer, groups []flagGroup, commands []*cobra.Command) {
	io.WriteString(w, intro)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name(), c.Short)
	}
	fmt.Fprintf(w, "  %-10s %s\n", "help", "Print this, or what is known of anything")
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		flagUsages(w, g.flags)
	}
}

// commandHelp prints the help of a command of gostap's.
func commandHelp(c *cobra.Command) {
	w := c.OutOrStdout()
	text := c.Long
	if text == "" {
		text = c.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n\nOptions:\n", text, c.UseLine())
	flagUsages(w, c.LocalFlags())
}

// Columns of the help.
const (
	usageColumn = 30
	lastColumn  = 80
)

// flagUsages prints flags with what they do. pflag's FlagUsagesWrapped would print
// --vm RELEASE[="default"], which is no valid option, and --verbose count; and the
// columns of groups would differ.
func flagUsages(w io.Writer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		flagUsage(w, f)
	})
}

// wrap breaks text into lines of at most width bytes.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
