// SPDX-License-Identifier: GPL-2.0-or-later

// Command gostap runs SystemTap scripts: see passes.go for the five passes in
// their order, and docs/ARCHITECTURE.md for the folders behind them.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/bundle"
	"gostap/internal/mainthread"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

func main() {
	// Passes are short, and the consumer makes no garbage: to collect it would only take time.
	debug.SetGCPercent(400)
	cmd, args := calledAs(os.Args[0], os.Args[1:])
	switch b, err := bundle.Self(); {
	case err != nil:
		os.Exit(report(os.Stderr, err, 0))
	case b != nil:
		if cmd, err = newBundled(b); err != nil {
			os.Exit(report(os.Stderr, err, 0))
		}
		args = os.Args[1:]
	}
	mainthread.Run(func() { os.Exit(execute(cmd, args, os.Stderr)) })
}

// execute runs cmd with a command line, reports errors and returns the exit code.
func execute(cmd *cobra.Command, args []string, messages io.Writer) int {
	cmd.SetArgs(args)
	err := func() (err error) {
		defer panics.Catch(&err)
		return cmd.ExecuteContext(context.Background())
	}()
	return report(messages, err, verbosityOf(cmd, args))
}

// An exitCode is an error that has been reported already, or needs no message.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// report prints err for the user and returns the exit code.
func report(w io.Writer, err error, verbosity int) int {
	var internal *panics.Error
	var code exitCode
	var diags syntax.Diagnostics
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &internal):
		reportInternal(w, internal, verbosity)
	case errors.As(err, &diags):
		diags.Write(w, colorful)
	default:
		fmt.Fprintf(w, "gostap: %v\n", err)
	}
	return 1
}
