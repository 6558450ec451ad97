// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// Internal errors: panics in gostap itself.

// inPass runs a pass, or the printing of its result; a panic becomes an error that names the pass.
func inPass(n int, name string, run func() error) (err error) {
	defer func() {
		var e *panics.Error
		if errors.As(err, &e) && e.Pass == "" {
			e.Pass = fmt.Sprintf("pass %d, %s", n, name)
		}
	}()
	defer panics.Catch(&err)
	return run()
}

// traceVerbosity is the number of -v from which on an internal error shows its stack trace.
const traceVerbosity = 3

const internalAdvice = "this is a bug in gostap, not in the script: please report it, with the script, " +
	"what gostap --version and uname -r print, and what -vvv adds here"

// reportInternal reports an internal error, its position in the script, and what to do about it.
func reportInternal(w io.Writer, e *panics.Error, verbosity int) {
	msg := fmt.Sprintf("internal error: %v", e.Value)
	if e.Pass != "" {
		msg = fmt.Sprintf("internal error in %s: %v", e.Pass, e.Value)
	}
	if pos, ok := e.Place.(syntax.Pos); ok {
		syntax.Diagnostics{{Pos: pos, Msg: msg, Hint: internalAdvice}}.Write(w, colorful)
	} else {
		fmt.Fprintf(w, "gostap: %s\n    %s\n", msg, internalAdvice)
	}
	if verbosity >= traceVerbosity {
		fmt.Fprintf(w, "%s\n", e.Stack)
	}
}

// verbosityOf is the number of -v for the command that args name, parsed already.
func verbosityOf(root *cobra.Command, args []string) int {
	cmd, _, err := root.Find(args)
	if err != nil {
		return 0
	}
	n, err := cmd.Flags().GetCount("verbose")
	if err != nil {
		return 0 // it has no such option
	}
	return n
}
