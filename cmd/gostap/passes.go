// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/pkg/errors"

	"gostap/elaborate"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/library"
	"gostap/internal/cache"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/syntax"
)

// passes runs the five passes, up to the one that -p names, and prints its result.
func (o *options) passes(ctx context.Context) error {
	inv, err := o.newInvocation()
	if err != nil {
		return err
	}
	if err := inv.runPasses(ctx); err != nil {
		return err
	}
	show := []func() error{inv.showTree, inv.showProgram, inv.showC, inv.showPath, func() error { return nil }}[o.pass-1]
	return inPass(inv.number, passNames[inv.number-1], show)
}

var passNames = [...]string{"parse", "elaborate", "translate", "build", "run"}

// runPasses runs the passes up to the one that -p names.
func (inv *invocation) runPasses(ctx context.Context) error {
	inv.status = inv.options.run.out.newStatusLine()
	defer inv.status.close()
	inv.barsForStatus()
	ctx, release := catchSignals(ctx)
	defer release()
	for i, run := range []func(context.Context) error{inv.parse, inv.elaborate, inv.translate, inv.build, inv.run} {
		name := passNames[i]
		start := startPass()
		inv.remark, inv.number = "", i+1
		inv.showPass()
		if i+1 == 5 {
			inv.status.show("", 0)
			release() // the consumer handles signals itself
			inv.announceRun()
		}
		err := untilSignal(ctx, i+1, name, run)
		if code, ok := interrupted(ctx); ok {
			return code
		}
		if inv.verbosity(i+1) > 0 && (err == nil || i+1 == 5) {
			inv.passed(name, start)
		}
		if err != nil {
			err = inv.failed(err)
		}
		if inv.keep && (err != nil && i < 4 || i+1 == min(inv.pass, 4)) {
			if err := inv.keepGenerated(); err != nil {
				return inv.failed(err)
			}
		}
		if err != nil || i+1 == inv.pass {
			return err
		}
	}
	return nil
}

// untilSignal runs a pass. Passes 1 to 3, which run no other programs but a compiler for headers, end at once at a
// signal; the others end by their context.
func untilSignal(ctx context.Context, n int, name string, run func(context.Context) error) error {
	if n > 3 {
		return inPass(n, name, func() error { return run(ctx) })
	}
	done := make(chan error, 1)
	go func() { done <- inPass(n, name, func() error { return run(ctx) }) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		cache.Abandon()
		return context.Cause(ctx)
	}
}

// showPass has the status line name the pass if it takes longer than a second.
func (inv *invocation) showPass() {
	inv.status.show("pass "+strconv.Itoa(inv.number)+": "+passNames[inv.number-1], time.Second)
}

// barsForStatus has bars of the target stand in the place of the status line.
func (inv *invocation) barsForStatus() {
	bars := inv.target.Progress
	inv.target.Progress = func(of string) dwarf.Progress {
		bar := bars(of)
		if bar == nil {
			return nil
		}
		return func(done, total int64) {
			inv.status.show("", 0)
			bar(done, total)
			if done >= total {
				inv.showPass()
			}
		}
	}
}

// parse reads the user's files and the library.
func (inv *invocation) parse(context.Context) error {
	inv.announceSession()
	sources, args, err := inv.sources()
	if err != nil {
		return err
	}
	env := inv.env(args)
	var diags syntax.Diagnostics
	inv.library, diags = library.Open(env, inv.folders()...)
	inv.announceLibrary()
	for _, src := range argumentFiles(args) {
		diags = append(diags, inv.library.Add(src, env)...)
	}
	for _, src := range sources {
		file, more := syntax.Parse(src, env)
		inv.files = append(inv.files, file)
		diags = append(diags, more...)
		switch {
		case len(file.Decls) > 0 || more.Err() != nil:
		case inv.stap:
			return errors.Errorf("Input file '%s' is empty.", src.Path)
		default:
			diags.Errorf(syntax.Pos{}, "Input file '%s' is empty.", src.Path)
		}
	}
	inv.remark = fmt.Sprintf("  %d library files", inv.library.Len())
	return inv.diagnose(diags)
}

// elaborate finds what the probe points stand for, and checks names and types.
func (inv *invocation) elaborate(context.Context) error {
	elaborated, diags := elaborate.Elaborate(inv.files, inv.library, inv.target)
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	inv.program, diags = check.Check(elaborated, check.Options{
		Guru:         inv.guru,
		Unprivileged: inv.unprivileged(),
		Unoptimized:  inv.unoptimized,
		NoWarnings:   inv.noWarn,
		Compatible:   inv.compatible,
		AsStap:       inv.stap,
		Builtin:      isBuiltin,
		Functions:    inv.library.FunctionNames(),
	})
	inv.remark = fmt.Sprintf("  %d probes%s", len(elaborated.Probes), inv.target.Sources())
	if diags.Err() == nil {
		diags = append(diags, inv.unusedArguments()...)
	}
	return inv.diagnose(diags)
}

// translate writes the program as C.
func (inv *invocation) translate(context.Context) (err error) {
	inv.code, err = emit.Emit(inv.program, emit.Options{Module: inv.module, Release: inv.target.Release, Limits: inv.limits, Timing: inv.timing,
		Monitor:     inv.options.run.live.on() && inv.runtime != "host" || inv.options.run.out.format == "html",
		Tasks:       inv.options.run.out.format == "perfetto",
		SkipBadVars: inv.peer.skipBadVars, Unprivileged: inv.unprivileged(), AsStap: inv.stap,
		Defines: inv.defines, Compatible: inv.compatible})
	if err != nil {
		return err
	}
	if err := inv.options.run.checkGlobals(&inv.code.Manifest); err != nil {
		return err
	}
	inv.code.C = append(inv.code.C, inv.peer.modinfoC()...)
	if inv.runtime != "host" {
		inv.code.Manifest.Name, inv.code.Manifest.Bulk = inv.name(), inv.options.run.out.bulk
	}
	if warning := inv.target.LocateLines(&inv.code.Manifest); warning != nil {
		if err := inv.diagnose(syntax.Diagnostics{warning}); err != nil {
			return err
		}
	}
	return inv.target.Locate(&inv.code.Manifest)
}

// build makes a module of the C, or a program for the host runtime.
func (inv *invocation) build(ctx context.Context) error {
	if inv.runtime == "host" {
		return inv.buildHost(ctx)
	}
	return inv.buildModule(ctx)
}

// run runs what was built.
func (inv *invocation) run(ctx context.Context) error {
	switch {
	case inv.runtime == "host":
		return inv.runHost(ctx)
	case inv.vm != "":
		return inv.runVM(ctx)
	}
	return inv.runInKernel(ctx)
}

// What -p prints of the last pass.

func (inv *invocation) showTree() error {
	if inv.stap {
		fmt.Println("# parse tree dump")
	}
	for _, f := range inv.files {
		if inv.stap {
			fmt.Println("# file " + f.Source.Path)
		}
		if err := syntax.Print(os.Stdout, f); err != nil {
			return err
		}
	}
	return nil
}

func (inv *invocation) showProgram() error {
	return check.Dump(os.Stdout, inv.program, inv.verbosity(2) > 0)
}

func (inv *invocation) showC() error {
	_, err := os.Stdout.Write(inv.code.C)
	if err == nil && inv.code.EmbeddedC != nil {
		_, err = fmt.Printf("\n/* The embedded C, a file of its own: */\n%s", inv.code.EmbeddedC)
	}
	return err
}

func (inv *invocation) showPath() error {
	_, err := fmt.Println(inv.built)
	return err
}
