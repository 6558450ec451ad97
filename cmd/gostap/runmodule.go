// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"

	"github.com/spf13/pflag"

	"gostap/consumer"
)

// moduleRun are the options of commands that run a module: `gostap run`, and a bundle.
type moduleRun struct {
	runOptions
	verbose            int
	noWarn, background bool
	script, color      string
}

func (r *moduleRun) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	r.runOptions.flags(f)
	f.CountVarP(&r.verbose, "verbose", "v", "say what is being done, if given twice")
	f.BoolVarP(&r.noWarn, "no-warnings", "w", false, "no warnings")
	colorFlag(f, &r.color)
	f.StringVar(&r.script, "script", "", "the script's name, for gostap list")
	f.BoolVar(&r.background, "background", false, "once started, tell who waits at descriptor 3, and go on without a terminal")
	f.MarkHidden("script")
	f.MarkHidden("background")
}

// execute runs the module in a file.
func (r *moduleRun) execute(ctx context.Context, module string) error {
	if err := setColor(r.color); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	m, err := consumer.ReadManifest(module)
	if err != nil {
		return err
	}
	if err := r.checkGlobals(m); err != nil {
		return err
	}
	r.out.bulk = r.out.bulk || m.Bulk
	r.out.cpus = r.background
	if r.script == "" {
		r.script = module
	}
	cfg := r.config(module, r.script, r.noWarn, r.verbose)
	if !r.background {
		return r.inKernel(ctx, cfg)
	}
	log := &backgroundLog{}
	cfg.Stderr = log
	cfg.Started = func() { r.toBackground(log) }
	code := report(log, r.inKernel(ctx, cfg), r.verbose)
	return exitCode(code)
}
