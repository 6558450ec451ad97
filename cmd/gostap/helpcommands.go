// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gostap/elaborate/library"
	"gostap/tools"
)

// gostap help for tools, commands and options, beside the library and the pages of docs/.

// toolTopics returns the tools and commands, in the form of the library's documentation.
func toolTopics() (list []library.Doc) {
	all, err := tools.All()
	if err != nil {
		panic(err) // the embedded tools are checked by a test
	}
	for _, t := range all {
		list = append(list, library.Doc{Name: t.Name + " " + t.Subject, Signature: "gostap tool " + t.Name, Text: t.Summary + ". " + t.Text})
	}
	for _, c := range newCommands() {
		list = append(list, library.Doc{Name: c.Name(), Signature: "gostap " + c.Name(), Text: c.Short + ". " + c.Long})
	}
	return list
}

// optionTopics returns the options of gostap itself.
func optionTopics() (list []library.Doc) {
	for _, group := range (&options{}).flags() {
		group.flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				_, usage := pflag.UnquoteUsage(f)
				list = append(list, library.Doc{Name: f.Name, Signature: optionName(f), Text: usage})
			}
		})
	}
	return list
}

// helpOption prints an option of gostap's, as in `gostap help --vm`. An unknown option of the command
// help itself is one.
func helpOption(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return flagError(cmd, err)
	}
	for _, group := range (&options{}).flags() {
		f := group.flags.Lookup(unknown.GetSpecifiedName())
		if unknown.GetSpecifiedShortnames() != "" {
			f = group.flags.ShorthandLookup(unknown.GetSpecifiedName())
		}
		if f != nil {
			flagUsage(cmd.OutOrStdout(), f)
			return nil
		}
	}
	return flagError(cmd, err)
}

// optionName is an option as the help shows it: -c, --command CMD.
func optionName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, _ := pflag.UnquoteUsage(f)
	switch {
	case f.Value.Type() == "bool" || f.Value.Type() == "count":
	case f.NoOptDefVal != "":
		name += "[=" + value + "]"
	default:
		name += " " + value
	}
	return name
}

// flagUsage prints a flag with what it does.
func flagUsage(w io.Writer, f *pflag.Flag) {
	_, usage := pflag.UnquoteUsage(f)
	left := "  " + optionName(f)
	if f.Shorthand == "" {
		left = "      " + optionName(f)
	}
	indent := "\n" + strings.Repeat(" ", usageColumn)
	if len(left) > usageColumn-2 {
		left += indent
	} else {
		left += strings.Repeat(" ", usageColumn-len(left))
	}
	fmt.Fprintln(w, left+strings.Join(wrap(usage, lastColumn-usageColumn), indent))
}
