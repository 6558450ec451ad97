// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"

	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

// listPoints prints the probe points that -l's or -L's pattern stands for. What
// can't be probed is no error: that is what one asks to know.
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
	library, diags := library.Open(env, inv.folders()...)
	for i, text := range inv.extra { // for their aliases
		script := &syntax.Source{Path: extraName(i), Text: []byte(text), Origin: syntax.Tapset}
		diags = append(diags, library.Add(script, env)...)
	}
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	listed, diags := query.List(points, library, inv.target, o.listVars != "")
	if o.verbosity(2) > 0 {
		diags.Write(os.Stderr, colorful)
	}
	if len(listed) == 0 {
		// An empty list is an answer, unless the kernel could not be read.
		if _, err := inv.target.Kernel(); err != nil && o.runtime == "kernel" {
			return err
		}
		return exitCode(1)
	}
	return printList(listed, o.run.out.format, printEach)
}
