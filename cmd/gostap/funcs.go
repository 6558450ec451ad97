// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"strings"

	"gostap/elaborate/image"
	"gostap/elaborate/query"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
)

func newFuncs() *cobra.Command {
	var o options
	var modules, format string
	filters := map[string]*bool{}
	cmd := &cobra.Command{
		Use:   "funcs [OPTION…] PATTERN",
		Short: "List the kernel's functions, and which can be probed",
		Long: `funcs lists the functions whose names match PATTERN, with how they are declared.
In front stands how a probe gets there: ftrace, kprobe, or - if it doesn't.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("funcs: give one PATTERN, as \"vfs_*\" (see gostap funcs --help)")
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			o.runtime, o.pass = "kernel", 2
			release, err := o.targetRelease()
			if err != nil {
				return err
			}
			all, err := query.Functions(image.NewTarget(release, false), args[0], modules)
			if err != nil {
				return err
			}
			var list []function
			for _, f := range all {
				if passesFilters(f, filters) {
					list = append(list, function(f))
				}
			}
			if len(list) == 0 {
				return exitCode(1)
			}
			return printList(list, format, printEach)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.release, "release", "r", "", "of kernel `RELEASE` (default: the running kernel)")
	f.StringVar(&modules, "module", "", "of the modules that `PATTERN` matches, or of programs by their paths, instead of the kernel itself")
	for _, filter := range []struct{ name, usage string }{
		{"probeable", "only those that can be probed"},
		{"refused", "only those that can't"},
		{"traced", "only those that ftrace can trace"},
		{"exported", "only those that modules may use"},
		{"global", "only those that are not static"},
		{"static", "only static ones"},
	} {
		filters[filter.name] = f.Bool(filter.name, false, filter.usage)
	}
	f.StringVar(&format, "output", "text", "`FORMAT` is text, or json (an object a line)")
	return cmd
}

// passesFilters reports whether f passes all filters that were given.
func passesFilters(f query.Function, filters map[string]*bool) bool {
	for name, is := range map[string]bool{
		"probeable": f.Refused == "", "refused": f.Refused != "", "traced": f.Traced,
		"exported": f.Exported, "global": f.Global, "static": !f.Global,
	} {
		if *filters[name] && !is {
			return false
		}
	}
	return true
}

// function is one as funcs prints it.
type function query.Function

func (f function) String() string {
	how, of := "kprobe", "module "
	if strings.HasPrefix(f.Module, "/") {
		how, of = "uprobe", ""
	}
	switch {
	case f.Refused != "":
		how = "-"
	case f.Traced:
		how = "ftrace"
	}
	what := f.Name
	if f.Signature != "" {
		what = f.Signature
	}
	var notes []string
	if f.Module != "" {
		notes = append(notes, of+f.Module)
	}
	if !f.Global {
		notes = append(notes, "static")
	}
	if f.Exported {
		notes = append(notes, "exported")
	}
	if f.Refused != "" {
		notes = append(notes, f.Refused)
	}
	if len(notes) > 0 {
		what += " (" + strings.Join(notes, ", ") + ")"
	}
	return how + strings.Repeat(" ", 7-len(how)) + what
}
