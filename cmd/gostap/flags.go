// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gostap/internal/flagerror"
)

// A flagGroup is flags that --help shows together.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// vmDefault is --vm's value where no release is given.
const vmDefault = "default"

// flags declares all of gostap's own flags.
func (o *options) flags() []flagGroup {
	var groups []flagGroup
	group := func(title string) *pflag.FlagSet {
		f := newFlagSet()
		groups = append(groups, flagGroup{title, f})
		return f
	}

	f := group("What to run")
	f.VarP((*texts)(&o.scripts), "execute", "e", "run `SCRIPT` instead of a file's")
	f.VarP((*texts)(&o.extra), "extra", "E", "run `SCRIPT` besides")
	f.StringVarP(&o.list, "list", "l", "", "list the probe points that `PATTERN` stands for, and run nothing")
	f.StringVarP(&o.listVars, "list-vars", "L", "", "list those that `PATTERN` stands for, with their variables")

	f = group("Where to run it")
	f.StringVarP(&o.release, "release", "r", "", "build for kernel `RELEASE`, or the kernel whose build tree that is (default: $SYSTEMTAP_RELEASE, or the running kernel)")
	f.StringVar(&o.vm, "vm", "", "run in a throwaway micro-VM, on kernel `RELEASE` (default: the first installed one)")
	f.Lookup("vm").NoOptDefVal = vmDefault
	f.StringVar(&o.runtime, "runtime", "kernel", "`MODE` is kernel, or host: as an ordinary process (begin, end, error and timer probes)")

	f = group("The passes")
	f.IntVarP(&o.pass, "pass", "p", 5, "stop after `PASS`: 1 parse, 2 elaborate, 3 translate, 4 build, 5 run")
	f.StringVarP(&o.module, "module", "m", "", "call the module `NAME`, and leave NAME.ko here")
	o.moduleFlag = f.Lookup("module")
	f.BoolVarP(&o.keep, "keep", "k", false, "keep the folder with the generated C, and print its name")
	f.BoolVar(&o.kbuild, "kbuild", false, "build the whole module by kbuild, the ordinary and slow way")

	f.StringVar(&o.sign, "sign", "", "sign the module with `KEY,CERT`, for a kernel that takes no others: see docs/SIGNING.md")

	f = group("The language")
	f.BoolVarP(&o.guru, "guru", "g", false, "guru mode: allow embedded C and writing to the kernel")
	f.VarP((*texts)(&o.includes), "include", "I", "look for tapsets (.stp) and macros (.stpm) in `DIR` too")
	f.VarP((*texts)(&o.defines), "define", "D", "set a limit, `NAME=VALUE`: "+limitNames())
	f.BoolVarP(&o.unoptimized, "unoptimized", "u", false, "keep what is never used")
	f.StringVar(&o.compatible, "compatible", language, "be systemtap `VERSION` to scripts that ask")
	f.BoolVar(&o.suppressErrors, "suppress-handler-errors", false, "go on after errors in handlers and skipped probes; only count them")
	f.BoolVar(&o.suppressTimeLimits, "suppress-time-limits", false, "do not limit how long a handler runs (guru mode)")
	f.Bool("all-modules", false, "have the symbols of all modules, as is always the case")

	f = group("As stap has them")
	o.peer.flags(f)

	f = group("The session")
	o.run.flags(f)

	f = group("Messages")
	f.CountVarP(&o.verbose, "verbose", "v", "a line for each pass, with its time; twice: more; three times: where gostap itself has failed")
	f.StringVar(&o.verboseFor, "vp", "", "be more verbose by pass: a digit of `ABCDE` for each")
	f.BoolVarP(&o.timing, "timing", "t", false, "print at the end how often each probe was hit, and the time that it took")
	f.BoolVarP(&o.noWarn, "no-warnings", "w", false, "no warnings")
	f.BoolVarP(&o.warnErr, "warnings-as-errors", "W", false, "treat warnings as errors")
	colorFlag(f, &o.color)
	f.BoolP("help", "h", false, "print this")
	f.BoolP("version", "V", false, "print the version")
	return groups
}

func newFlagSet() *pflag.FlagSet {
	f := pflag.NewFlagSet("gostap", pflag.ContinueOnError)
	f.SortFlags = false
	return f
}

// texts is the value of a flag that may be given several times. pflag's own makes a CSV writer for each default.
type texts []string

func (t *texts) String() string { return strings.Join(*t, ",") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func (t *texts) Type() string { return "stringArray" }

// normalizeFlag lets --colour be --color.
func normalizeFlag(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "colour" {
		name = "color"
	}
	return pflag.NormalizedName(name)
}

// flagError says what is wrong with an option.
func flagError(cmd *cobra.Command, err error) error {
	return flagerror.Describe(err, cmd.Flags(), fmt.Sprintf("see %s --help", cmd.CommandPath()))
}

// takes returns the check of a command that takes that many arguments; what says which.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.Errorf("%s: give %s (see %s --help)", cmd.Name(), what, cmd.CommandPath())
		}
		return nil
	}
}

// verbosity is how verbose pass n is: -v is for all of them, --vp for each.
func (o *options) verbosity(n int) int {
	if n > len(o.verboseFor) {
		return o.verbose
	}
	return o.verbose + int(o.verboseFor[n-1]-'0')
}

// countUses has n count how often the flag is given.
func countUses(f *pflag.Flag, n *int) { f.Value = countedValue{f.Value, n} }

type countedValue struct {
	pflag.Value
	uses *int
}

func (c countedValue) Set(value string) error {
	*c.uses++
	return c.Value.Set(value)
}
