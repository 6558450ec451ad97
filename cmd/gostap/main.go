// SPDX-License-Identifier: GPL-2.0-or-later

// Command gostap runs SystemTap scripts: see passes.go for the five passes in
// their order, and docs/ARCHITECTURE.md for the folders behind them.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/pkg/errors"

	"gostap/translator/syntax"
)

func main() {
	// The passes are over before collecting garbage would pay; the consumer makes none.
	debug.SetGCPercent(400)
	cmd := newRoot(os.Args[1:])
	err := cmd.ExecuteContext(context.Background())
	os.Exit(report(err))
}

// exitCode is an error that has been reported already, or needs no words.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// report prints err as a person wants it and returns the exit code.
func report(err error) int {
	var code exitCode
	var diags syntax.Diagnostics
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &diags):
		diags.Write(os.Stderr, colorful)
	default:
		fmt.Fprintf(os.Stderr, "gostap: %v\n", err)
	}
	return 1
}
