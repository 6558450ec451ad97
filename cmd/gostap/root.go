// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
)

// options are the command line's, with SystemTap's letters and meanings.
type options struct {
	scripts    []string // -e, or none
	extra      []string // -E
	args       []string // the file, unless there is a -e, and the script's arguments
	list       string   // -l
	listVars   string   // -L
	pass       int
	verbose    int
	verboseFor string // --vp
	timing     bool
	guru       bool
	noWarn     bool
	warnErr    bool
	plain      bool // -u
	keep       bool
	module     string
	release    string
	vm         string // "" without --vm, vmDefault without a release
	runtime    string
	kbuild     bool
	sign       string
	defines    []string
	includes   []string
	symbols    []string // -d
	compatible string
	color      string

	suppressErrors     bool
	suppressTimeLimits bool

	run runOptions
}

// newRoot makes the command for a command line. Its first word may be a
// command of gostap's; "run" behind an option is a script's argument or file.
func newRoot(args []string) *cobra.Command {
	o := &options{}
	groups := o.flags()
	commands := []*cobra.Command{newRun(), newList(), newAttach(), newStop(), newFmt(), newFuncs(), newLines(), newVars(), newProbeCache(), newCompletion()}
	cmd := &cobra.Command{
		Use:           "gostap",
		Version:       version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			if err := o.check(); err != nil {
				return err
			}
			if o.pattern() != "" {
				return o.listPoints()
			}
			return o.passes(cmd.Context())
		},
	}
	for _, group := range groups {
		cmd.Flags().AddFlagSet(group.flags)
	}
	for _, c := range commands {
		if c.Flags().Lookup("verbose") == nil {
			c.Flags().CountP("verbose", "v", "if given three times, show where gostap itself has failed")
			c.Flags().MarkHidden("verbose")
		}
	}
	cmd.Flags().SetNormalizeFunc(british)
	for _, name := range []string{"list", "list-vars"} {
		if err := cmd.RegisterFlagCompletionFunc(name, o.completePoint); err != nil {
			panic(err) // there is no such flag
		}
	}
	cmd.SetVersionTemplate("gostap {{.Version}}\n")
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == cmd {
			help(c.OutOrStdout(), groups, commands)
			return
		}
		commandHelp(c)
	})
	cmd.CompletionOptions.DisableDefaultCmd = true
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		cmd.AddCommand(commands...)
	}
	return cmd
}

// version is gostap's own.
const version = "0.1, speaking SystemTap " + language

// language is the SystemTap version whose language is spoken: systemtap_v.
const language = "4.8"

// pattern is that of -l or -L, "" if a script is to be run.
func (o *options) pattern() string { return o.list + o.listVars }

// runs reports whether pass 5 is going to run.
func (o *options) runs() bool { return o.pass == 5 && o.pattern() == "" }

// check refuses what makes no sense before any work is done.
func (o *options) check() error {
	if err := setColor(o.color); err != nil {
		return err
	}
	if o.pass < 1 || o.pass > 5 {
		return errors.Errorf("-p %d: the passes are 1 to 5", o.pass)
	}
	if strings.Trim(o.verboseFor, "0123456789") != "" || len(o.verboseFor) > 5 {
		return errors.Errorf("--vp %s: a digit for each of up to five passes", o.verboseFor)
	}
	if o.runtime != "kernel" && o.runtime != "host" {
		return errors.Errorf("--runtime=%s: kernel or host", o.runtime)
	}
	if o.runtime == "host" && (o.vm != "" || o.kbuild || o.sign != "") {
		return errors.New("--runtime=host goes with neither --vm nor --kbuild nor --sign")
	}
	if o.sign != "" && o.signer() == nil {
		return errors.Errorf("--sign %s: the files of a private key and of its certificate, as in --sign mok.key,mok.der", o.sign)
	}
	if o.vm != "" && o.run.pid != 0 {
		return errors.New("-x names a process of this machine, which does not exist in the VM; use -c")
	}
	if (o.vm != "" || o.runtime == "host") && (o.run.recorder || o.run.out.rotate != "") {
		return errors.New("-F and -S are for sessions in this machine's kernel; they go with neither --vm nor --runtime=host")
	}
	if o.suppressTimeLimits && !o.guru {
		return errors.New("--suppress-time-limits lets a handler run for ever: it takes guru mode, -g")
	}
	for _, dir := range o.includes {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return errors.Errorf("-I %s: no such folder", dir)
		}
	}
	if err := o.run.check(); err != nil {
		return err
	}
	return o.checkScript()
}

// checkScript refuses what is not one script, or one pattern to list.
func (o *options) checkScript() error {
	switch {
	case o.list != "" && o.listVars != "":
		return errors.New("-l and -L are one too many: -L lists the variables besides")
	case o.pattern() != "" && len(o.scripts)+len(o.args) > 0:
		return errors.New("-l and -L list probe points instead of running a script; -E adds one whose aliases they know")
	case o.pattern() != "":
		return nil
	case len(o.scripts) > 1:
		return errors.New("only one -e can be given; -E adds scripts")
	case len(o.scripts) == 0 && len(o.args) == 0:
		return errors.New("no script: give a FILE, - for standard input, or -e SCRIPT (see gostap --help)")
	}
	return nil
}
