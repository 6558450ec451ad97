// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// brokenPass is a pass that panics at a position in a script.
func brokenPass() error {
	src := &syntax.Source{Path: "x.stp", Text: []byte("global n\nprobe begin { println(n) }\n")}
	at := syntax.Pos{Source: src, Line: 2, Col: 15}
	defer panics.At(&at)
	var none *syntax.File
	_ = none.Decls[0]
	return nil
}

const (
	panicText   = "runtime error: invalid memory address or nil pointer dereference\n"
	panicAdvice = "    " + internalAdvice + "\n"
)

// TestInternalErrors: a panic becomes an error with the pass, the position and advice, and exit code 1;
// only -vvv shows the trace.
func TestInternalErrors(t *testing.T) {
	colorful = false
	inScript := "    probe begin { println(n) }\n                  ^\n"
	for _, c := range []struct {
		what string
		run  func() error
		want string
	}{
		{"in a pass, at a place", func() error { return inPass(2, "elaborate", brokenPass) },
			"x.stp:2:15: error: internal error in pass 2, elaborate: " + panicText + inScript + panicAdvice},
		{"in a pass", func() error { return inPass(4, "build", func() error { return brokenGoroutine() }) },
			"gostap: internal error in pass 4, build: " + panicText + panicAdvice},
		{"outside of passes", func() error { return brokenPass() },
			"x.stp:2:15: error: internal error: " + panicText + inScript + panicAdvice},
	} {
		for _, args := range [][]string{{}, {"-vv"}, {"-vvv"}} {
			cmd := &cobra.Command{Use: "gostap", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return c.run() }}
			cmd.Flags().CountP("verbose", "v", "")
			var out bytes.Buffer
			if code := execute(cmd, args, &out); code != 1 {
				t.Errorf("%s: exit code %d", c.what, code)
			}
			said, trace, _ := strings.Cut(out.String(), panicAdvice)
			if said+panicAdvice != c.want {
				t.Errorf("%s:\n%s\nwant\n%s", c.what, out.String(), c.want)
			}
			if shown := strings.Contains(trace, "internalerror_test.go"); shown != (len(args) > 0 && args[0] == "-vvv") || !shown && trace != "" {
				t.Errorf("%s %s: the trace is %q", c.what, args, trace)
			}
		}
	}
}

// brokenGoroutine panics in a goroutine that is waited for.
func brokenGoroutine() error {
	var group panics.Group
	group.Go(func() {
		var none *syntax.File
		_ = none.Decls[0]
	})
	group.Wait()
	return nil
}

// TestVerbose: every command accepts -vvv, which messages of internal errors mention.
func TestVerbose(t *testing.T) {
	for _, c := range newRoot([]string{"list"}).Commands() {
		if err := c.ParseFlags([]string{"-vvv"}); err != nil {
			t.Errorf("gostap %s: %v", c.Name(), err)
		}
		if n := verbosityOf(c.Root(), []string{c.Name()}); n != 3 {
			t.Errorf("gostap %s -vvv: verbosity %d", c.Name(), n)
		}
	}
}
