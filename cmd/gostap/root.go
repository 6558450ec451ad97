// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot makes the command for a command line. Its first word may be a
// command of gostap's; "run" behind an option is a script's argument or file.
func newRoot(args []string) *cobra.Command {
	cmd, groups := newTracer(&options{})
	cmd.SetVersionTemplate("gostap {{.Version}}\n")
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == cmd {
			help(c.OutOrStdout(), groups, newCommands())
			return
		}
		commandHelp(c)
	})
	cmd.SetHelpCommand(newHelp())
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") && !strings.ContainsAny(args[0], "./") {
		cmd.AddCommand(newCommands()...)
	}
	return cmd
}

// newCommands makes the commands beside the root, which runs scripts.
func newCommands() []*cobra.Command {
	commands := []*cobra.Command{newRun(), newTool(), newMerge(), newList(), newAttach(), newStop(), newFmt(), newLSP(), newFuncs(), newLines(), newVars(), newProbeCache(), newBundle(), newDoctor(), newCompletion()}
	for _, c := range commands {
		if c.Flags().Lookup("verbose") == nil {
			c.Flags().CountP("verbose", "v", "if given three times, show where gostap itself has failed")
			c.Flags().MarkHidden("verbose")
		}
	}
	return commands
}

// commandNames lists the names of gostap's commands.
func commandNames() (names []string) {
	for _, c := range append(newCommands(), newHelp()) {
		names = append(names, c.Name())
	}
	return names
}

// newTracer makes the command that runs scripts.
func newTracer(o *options) (*cobra.Command, []flagGroup) {
	groups := o.flags()
	cmd := &cobra.Command{
		Use:           "gostap",
		Version:       version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			return o.execute(cmd.Context())
		},
	}
	for _, group := range groups {
		cmd.Flags().AddFlagSet(group.flags)
	}
	for _, name := range []string{"list", "list-vars", "dump-probe-types", "dump-probe-aliases", "dump-functions"} {
		countUses(cmd.Flags().Lookup(name), &o.lists)
	}
	countUses(cmd.Flags().Lookup("privilege"), &o.peer.privileges)
	cmd.Flags().SetNormalizeFunc(normalizeFlag)
	for _, name := range []string{"list", "list-vars"} {
		if err := cmd.RegisterFlagCompletionFunc(name, o.completePoint); err != nil {
			panic(err) // there is no such flag
		}
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	return cmd, groups
}

// execute runs the action that the options select.
func (o *options) execute(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	done, err := o.peer.apply()
	if err != nil {
		return err
	}
	defer done()
	switch {
	case o.peer.dumps():
		return o.dump()
	case o.pattern() != "":
		return o.listPoints()
	}
	return o.passes(ctx)
}

// version is gostap's version.
const version = "0.1, speaking SystemTap " + language

// language is the version of SystemTap whose language gostap implements: systemtap_v.
const language = "4.8"
