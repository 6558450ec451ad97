// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A session is one script on its way through the passes.
type session struct {
	*options
	limits  emit.Limits
	target  *image.Target
	library *elaborate.Library
	status  *statusLine

	files   []*syntax.File   // of pass 1
	program *program.Program // of pass 2
	code    *emit.Output     // of pass 3
	built   string           // of pass 4: the module, or the host program
	remark  string           // for -v, about the pass that has just run
}

// passes runs the five passes, up to the one that -p names.
func (o *options) passes(ctx context.Context) error {
	s, err := o.newSession()
	if err != nil {
		return err
	}
	s.status = newStatusLine()
	defer s.status.close()
	if bar := s.target.Progress; bar != nil {
		s.target.Progress = func(done, total int64) {
			s.status.say("", 0)
			bar(done, total)
		}
	}
	ctx, release := catchSignals(ctx)
	defer release()
	for i, pass := range []struct {
		name string
		run  func(context.Context) error
		show func() error // what -p prints if it is the last
	}{
		{"parse", s.parse, s.showTree},
		{"elaborate", s.elaborate, s.showProgram},
		{"translate", s.translate, s.showC},
		{"build", s.build, s.showPath},
		{"run", s.run, func() error { return nil }},
	} {
		start := time.Now()
		s.remark = ""
		s.status.say("pass "+strconv.Itoa(i+1)+": "+pass.name, 3*time.Second)
		if i+1 == 5 {
			s.status.say("", 0)
			release() // the consumer has its own ways
		}
		err := inPass(i+1, pass.name, func() error { return pass.run(ctx) })
		if code, ok := interrupted(ctx); ok {
			return code
		}
		if err != nil {
			return err
		}
		if o.verbosity(i+1) > 0 {
			took := float64(time.Since(start).Microseconds()) / 1000
			fmt.Fprintf(os.Stderr, "Pass %d: %-10s %9.1f ms%s\n", i+1, pass.name, took, s.remark)
		}
		if i+1 == o.pass {
			return inPass(i+1, pass.name, pass.show)
		}
	}
	return nil
}

// parse reads the user's files and the library.
func (s *session) parse(context.Context) error {
	sources, args, err := s.sources()
	if err != nil {
		return err
	}
	env := s.env(args)
	var diags syntax.Diagnostics
	s.library, diags = elaborate.LoadLibrary(env, s.folders()...)
	for _, src := range sources {
		file, more := syntax.Parse(src, env)
		s.files = append(s.files, file)
		diags = append(diags, more...)
	}
	s.remark = fmt.Sprintf("  %d library files", len(s.library.Files()))
	return s.tell(diags)
}

// elaborate finds what the probe points stand for, and checks names and types.
func (s *session) elaborate(context.Context) error {
	elaborated, diags := elaborate.Elaborate(s.files, s.library, s.target)
	if err := s.tell(diags); err != nil {
		return err
	}
	s.program, diags = check.Check(elaborated, check.Options{
		Guru:        s.guru,
		Unoptimized: s.plain,
		NoWarnings:  s.noWarn,
		Builtin:     isBuiltin,
		Functions:   s.library.FunctionNames(),
	})
	s.remark = fmt.Sprintf("  %d probes%s", len(elaborated.Probes), s.target.Sources())
	return s.tell(diags)
}

// translate writes the program as C.
func (s *session) translate(context.Context) (err error) {
	s.code, err = emit.Emit(s.program, emit.Options{Module: s.module, Release: s.target.Release, Limits: s.limits, Timing: s.timing})
	if err != nil {
		return err
	}
	if err := s.options.run.checkGlobals(&s.code.Manifest); err != nil {
		return err
	}
	return s.target.Locate(&s.code.Manifest)
}

// build makes a module of the C, or a program for the host runtime.
func (s *session) build(ctx context.Context) error {
	if s.runtime == "host" {
		return s.buildHost(ctx)
	}
	return s.buildModule(ctx)
}

// run runs what was built.
func (s *session) run(ctx context.Context) error {
	switch {
	case s.runtime == "host":
		return s.runHost(ctx)
	case s.vm != "":
		return s.runVM(ctx)
	}
	return s.runHere(ctx)
}
