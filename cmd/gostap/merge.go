// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"io"
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/consumer"
)

// newMerge makes `gostap merge`, which is stap-merge(1), too.
func newMerge() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:                   "merge [OPTION…] FILE…",
		Short:                 "Put the files of a session of -b back in order",
		Long:                  `merge prints what the files of a session of -b hold, one for each processor, in the order in which it happened.`,
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				return errors.New("merge: give the FILEs of a session of -b")
			}
			var w io.Writer = os.Stdout
			if output != "" {
				file, err := os.Create(output)
				if err != nil {
					return err
				}
				defer file.Close()
				w = file
			}
			verbosity, err := cmd.Flags().GetCount("verbose")
			if err != nil {
				return err
			}
			return consumer.Merge(w, args, verbosity > 0)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	cmd.Flags().CountP("verbose", "v", "print the processor, number and length of each piece")
	return cmd
}
