// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/tapsets"
	"gostap/translator/syntax"
	"gostap/vm"
)

// newSession settles what the script is for, before any pass.
func (o *options) newSession() (*session, error) {
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
		return nil, errors.New("loading a module into the kernel takes root: run it with sudo, or in a VM with --vm")
	}
	target := image.NewTarget(release, o.guru)
	target.Progress = progress("Reading the debuginfo of " + release + ", this once")
	return &session{options: o, limits: limits, target: target}, nil
}

// libraryPath is what diagnostics call the embedded library.
const libraryPath = "<tapset>"

// isBuiltin reports whether a file is one of the embedded library.
func isBuiltin(src *syntax.Source) bool { return strings.HasPrefix(src.Path, libraryPath) }

// folders are where the tapset library is.
func (s *session) folders() []elaborate.Folder {
	folders := []elaborate.Folder{{FS: tapsets.FS, Path: libraryPath}}
	for _, dir := range s.includes {
		folders = append(folders, elaborate.Folder{FS: os.DirFS(dir), Path: dir})
	}
	return folders
}

// env is what the preprocessor may ask.
func (s *session) env(args []string) *syntax.Env {
	return &syntax.Env{
		KernelVR:    s.target.Release,
		Arch:        "x86_64",
		Runtime:     s.runtime,
		Guru:        s.guru,
		Privilege:   "stapdev",
		StapVersion: s.compatible,
		Config:      s.target.Config,
		Args:        args,
	}
}

// name is the module's: that of -m, or one made of what it is built from.
func (s *session) name() string {
	if s.module != "" {
		return s.module
	}
	h := sha256.New()
	h.Write(s.code.C)
	h.Write(s.code.EmbeddedC)
	return "gostap_" + hex.EncodeToString(h.Sum(nil))[:16]
}

// tell prints the diagnostics of a pass; the error says that there was one among them.
func (s *session) tell(diags syntax.Diagnostics) error {
	diags.Sort()
	fatal := diags.Err() != nil
	if s.noWarn {
		var errs syntax.Diagnostics
		for _, d := range diags {
			if d.Severity == syntax.Error {
				errs = append(errs, d)
			}
		}
		diags = errs
	}
	diags.Write(os.Stderr, colorful)
	switch {
	case fatal:
		return exitCode(1)
	case s.warnErr && len(diags) == 1:
		return errors.New("a warning, which -W takes for an error")
	case s.warnErr && len(diags) > 0:
		return errors.Errorf("%d warnings, which -W takes for errors", len(diags))
	}
	return nil
}
