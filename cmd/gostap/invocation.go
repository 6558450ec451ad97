// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"debug/elf"
	"os"
	"strings"
	"sync/atomic"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/internal/buildid"
	"gostap/internal/distro"
	"gostap/tapsets"
	"gostap/translator/emit"
	"gostap/translator/program"
	"gostap/translator/syntax"
	"gostap/vm"
)

// An invocation is the state of one call of gostap: the options, the kernel that they name,
// and the results of the passes so far.
type invocation struct {
	*options
	limits  emit.Limits
	target  *image.Target
	library *library.Library
	status  *statusLine

	argsUsed []atomic.Bool // which of the script's arguments are used

	files   []*syntax.File   // of pass 1
	program *program.Program // of pass 2
	code    *emit.Output     // of pass 3
	built   string           // of pass 4: the module, or the host program
	remark  string           // for -v, about the pass that has just run
	number  int              // of that pass
}

// newInvocation determines the kernel that the script is for, before any pass.
func (o *options) newInvocation() (*invocation, error) {
	limits, err := o.setLimits()
	if err != nil {
		return nil, err
	}
	release, err := o.targetRelease()
	if err != nil {
		return nil, err
	}
	if err := o.checkSymbols(release); err != nil {
		return nil, err
	}
	switch {
	case !o.runs() || o.runtime != "kernel":
	case o.vm != "":
		if err := vm.Check(o.vm); err != nil {
			return nil, err
		}
	case os.Geteuid() != 0:
		return nil, errors.New("loading a module into the kernel takes root: run it with sudo, or in a VM with --vm; " + distro.Doctor)
	}
	target := image.NewTarget(release, o.guru)
	target.Progress = func(of string) dwarf.Progress {
		return o.run.out.progress("reading the debuginfo of " + of + " (once)")
	}
	target.Unprivileged = o.unprivileged()
	target.SkipBadVars, target.AsStap = o.peer.skipBadVars, o.stap
	target.Traced.PID = o.run.pid
	if words := strings.Fields(o.run.command); len(words) > 0 {
		target.Traced.Command = words[0]
	}
	return &invocation{options: o, limits: limits, target: target}, nil
}

// libraryPath is the embedded library's path in diagnostics.
const libraryPath = "<tapset>"

// isBuiltin reports whether a file is one of the embedded library.
func isBuiltin(src *syntax.Source) bool { return strings.HasPrefix(src.Path, libraryPath) }

// programVersion is this program's build-id, "" if it was built without.
func programVersion() string {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	id, err := buildid.Of(f)
	if err != nil {
		return ""
	}
	return id
}

// folders returns the folders of the tapset library.
func (inv *invocation) folders() []library.Folder {
	folders := []library.Folder{{FS: tapsets.FS, Path: libraryPath, Version: programVersion()}}
	for _, dir := range inv.includes {
		if _, err := os.Stat(dir); err == nil { // as in stap, it need not exist
			folders = append(folders, includedFolder(dir, inv.target.Release))
		}
	}
	return append(folders, othersFolders()...)
}

// env returns the preprocessor's environment.
func (inv *invocation) env(args []string) *syntax.Env {
	inv.argsUsed = make([]atomic.Bool, len(args))
	return &syntax.Env{
		KernelVR:    inv.target.Release,
		Arch:        "x86_64",
		Runtime:     inv.runtime,
		Guru:        inv.guru,
		Privilege:   inv.privilege(),
		StapVersion: inv.compatible,
		Config:      inv.target.Config,
		Args:        args,
		ArgsUsed:    inv.argsUsed,
	}
}

// diagnose prints the diagnostics of a pass; the result is an error if one of them is.
func (inv *invocation) diagnose(diags syntax.Diagnostics) error {
	diags.Sort()
	fatal := diags.Err() != nil
	if inv.noWarn {
		var errs syntax.Diagnostics
		for _, d := range diags {
			if d.Severity == syntax.Error {
				errs = append(errs, d)
			}
		}
		diags = errs
	}
	inv.write(diags)
	switch {
	case fatal:
		return exitCode(1)
	case inv.warnErr && len(diags) == 1:
		return errors.New("a warning, which -W takes for an error")
	case inv.warnErr && len(diags) > 0:
		return errors.Errorf("%d warnings, which -W takes for errors", len(diags))
	}
	return nil
}
