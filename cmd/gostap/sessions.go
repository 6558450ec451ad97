// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/consumer"
)

func newList() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list [--output=FORMAT]",
		Short: "List the sessions in this machine's kernel",
		Long: `list shows the sessions whose modules are in the kernel: the module, its state,
the process that reads it (detached: there is none; gone: it has died; ?: the
session is not started yet), since when it is there, its probe points, the
records that its probes have written, how many more were lost, and the script.

A session that has lost its process has ended; gostap attach prints what it has
left behind, gostap stop removes it.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return errors.Errorf("list takes no arguments (see %s --help; -l lists probe points)", cmd.CommandPath())
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			sessions, err := consumer.Sessions()
			if err != nil {
				return err
			}
			return printList(sessions, format, printSessions)
		},
	}
	cmd.Flags().StringVar(&format, "output", "text", "`FORMAT` of the list: text, or json (an object a line)")
	return cmd
}

func printSessions(w io.Writer, sessions []consumer.SessionInfo) {
	if len(sessions) == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "MODULE\tSTATE\tPROCESS\tSINCE\tPROBES\tRECORDS\tLOST\tSCRIPT")
	for _, s := range sessions {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", s.Module, s.State, reader(s),
			s.Since.Format("2006-01-02 15:04:05"), orUnknown(s.Probes), s.Records, s.Lost, s.Script)
	}
	table.Flush()
}

// reader describes the process that reads a session.
func reader(s consumer.SessionInfo) string {
	switch {
	case s.PID != 0:
		return strconv.Itoa(s.PID)
	case s.State == "loaded":
		return "?"
	case s.State == "ended":
		return "gone"
	}
	return "detached"
}

func orUnknown(n int) string {
	if n == 0 {
		return "?"
	}
	return strconv.Itoa(n)
}

func newStop() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stop MODULE… | --all",
		Short: "End sessions, and take their modules out of the kernel",
		Long: `stop ends sessions that gostap list shows: their end probes run, the process
that reads a session writes out the rest, and its module is removed. What a
session holds that nobody reads is lost: gostap attach --stop prints it.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return errors.New("stop: give modules or --all, not both")
			case !all && len(args) == 0:
				return errors.New("stop: give a MODULE that gostap list shows, or --all")
			case all:
				sessions, err := consumer.Sessions()
				if err != nil {
					return err
				}
				for _, s := range sessions {
					args = append(args, s.Module)
				}
			}
			return stop(args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "end all sessions")
	return cmd
}

// stop ends sessions, and reports those that could not be ended.
func stop(names []string) error {
	var failures []string
	for _, name := range names {
		s, err := consumer.Stop(name)
		if err != nil {
			failures = append(failures, err.Error())
			continue
		}
		if s.PID == 0 && s.Unread > 0 {
			fmt.Fprintf(os.Stderr, "%s: %d events that nobody had read are gone with it\n", name, s.Unread)
		}
	}
	if len(failures) > 0 {
		return errors.New(strings.Join(failures, "\ngostap: "))
	}
	return nil
}

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
			return o.runSession(cmd.Context(), cfg, func(ctx context.Context, cfg consumer.Config) (consumer.Result, error) {
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
