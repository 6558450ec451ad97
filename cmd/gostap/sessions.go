// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
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
				return errors.New("list takes no arguments (see gostap list --help; -l lists probe points)")
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			sessions, err := consumer.Sessions()
			if err != nil {
				return err
			}
			return answer(sessions, format, printSessions)
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

// reader says who reads a session.
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

// stop ends sessions, all that can be ended, and says which could not.
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
