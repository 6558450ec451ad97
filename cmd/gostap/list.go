// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"

	"github.com/spf13/cobra"

	"gostap/elaborate"
	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

// listPoints prints the probe points that -l's or -L's pattern stands for. What
// can't be probed is no error: that is what one asks to know.
func (o *options) listPoints() error {
	s, err := o.newSession()
	if err != nil {
		return err
	}
	env := s.env(nil)
	points, diags := syntax.ParseProbePoint(o.pattern(), env)
	if diags.Err() != nil {
		return diags
	}
	library, diags := elaborate.LoadLibrary(env, s.folders()...)
	for i, text := range s.extra { // for their aliases
		script := &syntax.Source{Path: extraName(i), Text: []byte(text), Origin: syntax.Tapset}
		diags = append(diags, library.Add(script, env)...)
	}
	if err := s.tell(diags); err != nil {
		return err
	}
	listed, diags := query.List(points, library, s.target, o.listVars != "")
	if o.verbosity(2) > 0 {
		diags.Write(os.Stderr, colorful)
	}
	if len(listed) == 0 {
		// Nothing there is an answer, but not if nobody could look.
		if _, err := s.target.Kernel(); err != nil && o.runtime == "kernel" {
			return err
		}
		return exitCode(1)
	}
	return answer(listed, o.run.out.format, printEach)
}

// completePoint completes the pattern of -l or -L for a shell.
func (o *options) completePoint(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	o.pass = 2 // nothing is going to run
	s, err := o.newSession()
	if err != nil {
		return nil, none
	}
	library, _ := elaborate.LoadLibrary(s.env(nil), s.folders()...)
	return query.Complete(text, library, s.target), none | cobra.ShellCompDirectiveNoSpace
}
