// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"

	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

// listPoints prints the probe points that -l's or -L's pattern stands for. A point that
// can't be probed is no error: to find that out is a purpose of listing.
func (o *options) listPoints() error {
	inv, err := o.newInvocation()
	if err != nil {
		return err
	}
	env := inv.env(nil)
	points, diags := syntax.ParseProbePoint(o.pattern(), env)
	if diags.Err() != nil {
		return diags
	}
	inv.announceSession()
	start := startPass()
	library, diags := library.Open(env, inv.folders()...)
	inv.library, inv.number = library, 1 // for stapWork
	inv.announceLibrary()
	for i, text := range inv.extra { // for their aliases
		script := &syntax.Source{Path: extraName(i), Text: []byte(text), Origin: syntax.Tapset}
		diags = append(diags, library.Add(script, env)...)
	}
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	inv.listed(1, inv.stapWork(), start)
	start = startPass()
	listed, diags := query.List(points, library, inv.target, o.listVars != "")
	if o.verbosity(2) > 0 {
		diags.Write(os.Stderr, colorful)
	}
	if len(listed) == 0 {
		// An empty list is no error, unless the kernel could not be read.
		if _, err := inv.target.Kernel(); err != nil && o.runtime == "kernel" {
			return err
		}
		return exitCode(1)
	}
	err = printList(listed, o.run.out.format, printEach)
	inv.listed(2, analyzed(len(listed), 0, 0, 0), start)
	return err
}

// listed prints, for -v, stap's messages about its passes when it lists.
func (inv *invocation) listed(pass int, work string, start passStart) {
	if inv.stap && inv.verbosity(pass) > 0 {
		fmt.Fprintf(os.Stderr, "Pass %d: %s in %s.\n", pass, work, start.took())
	}
}
