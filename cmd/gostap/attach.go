// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/consumer"
)

func newAttach() *cobra.Command {
	var o outputOptions
	var dump, stop, noWarn bool
	var color string
	cmd := &cobra.Command{
		Use:   "attach [OPTION…] MODULE",
		Short: "Print what a detached session has recorded, and go on",
		Long: `attach prints what the buffers of a session hold that was started with -F or has
been left, and then what its probes print.

Ctrl-C ends the session. Ctrl-\ (SIGQUIT) leaves it: it goes on, and can be
attached to again. That works in every session, also in those that were not
attached to. While a session of -F is left to itself it overwrites its oldest
records, and other sessions lose their newest, when their buffers are full; how
many is counted and said.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("attach: give one MODULE that gostap list shows")
			}
			if dump && stop {
				return errors.New("attach: --dump leaves the session, --stop ends it: give one of them")
			}
			if err := setColor(color); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			cfg := consumer.Config{JSON: o.json(), NoWarnings: noWarn, Color: colorful, Dump: dump, End: stop}
			return o.session(cmd.Context(), cfg, func(ctx context.Context, cfg consumer.Config) (consumer.Result, error) {
				return consumer.Attach(ctx, args[0], cfg)
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&dump, "dump", false, "print what the buffers hold, and leave the session again")
	f.BoolVar(&stop, "stop", false, "print what the buffers hold, and end the session")
	o.flags(f)
	f.BoolVarP(&noWarn, "no-warnings", "w", false, "no warnings")
	colorFlag(f, &color)
	return cmd
}
