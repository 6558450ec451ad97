// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	_ "embed"
	"io"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate/library"
	"gostap/elaborate/query"
)

// bashCompletion is not cobra's own, which can't complete inside quotes.
//
//go:embed completion.bash
var bashCompletion string

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "Print a shell's completion of gostap's command line",
		Long:      "completion prints what a shell completes gostap's command line with, probe points included:\n  source <(gostap completion bash)",
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				out := cmd.OutOrStdout()
				switch args[0] {
				case "bash":
					_, err := io.WriteString(out, bashCompletion)
					return err
				case "zsh":
					return cmd.Root().GenZshCompletion(out)
				case "fish":
					return cmd.Root().GenFishCompletion(out, true)
				}
			}
			return errors.New("completion: give one of bash, zsh and fish")
		},
	}
}

// completePoint completes the pattern of -l or -L for a shell.
func (o *options) completePoint(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	o.pass = 2 // nothing is going to run
	inv, err := o.newInvocation()
	if err != nil {
		return nil, none
	}
	library, _ := library.Open(inv.env(nil), inv.folders()...)
	return query.Complete(text, library, inv.target), none | cobra.ShellCompDirectiveNoSpace
}
