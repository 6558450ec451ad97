// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Usage is a tool's synopsis, such as "opensnoop [OPTION…] [INTERVAL]".
func (t *Tool) Usage() string {
	usage := t.Name
	if len(t.Options) > 0 {
		usage += " [OPTION…]"
	}
	for _, a := range t.Arguments {
		if a.Optional {
			usage += " [" + a.Name + "]"
		} else {
			usage += " " + a.Name
		}
	}
	return usage
}

// Help is the output of `gostap tool NAME --help`.
func (t *Tool) Help() string {
	help := fmt.Sprintf("%s: %s\n\nUsage: gostap tool %s\n\n", t.Name, t.Summary, t.Usage())
	if values := t.Values(); values != "" {
		help += values + "\n"
	}
	return help + t.Text + "\n"
}

// Values lists arguments and options, a line each.
func (t *Tool) Values() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, a := range t.Arguments {
		fmt.Fprintf(w, "  %s\t%s%s\n", a.Name, a.Help, inBrackets(a.Default))
	}
	for _, o := range t.Options {
		short := "    "
		if o.Short != "" {
			short = "-" + o.Short + ", "
		}
		name := "--" + o.Name
		if o.Type != Flag {
			name += " " + string(o.Type)
		}
		fmt.Fprintf(w, "  %s%s\t%s%s\n", short, name, o.Help, inBrackets(o.Default))
	}
	w.Flush()
	return b.String()
}

// everybody is the default of options that choose a user by number: it is no user's.
const everybody = "4294967295"

func inBrackets(value string) string {
	if value == "" || value == everybody {
		return ""
	}
	return " (" + value + ")"
}
