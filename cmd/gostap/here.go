// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"gostap/consumer"
	"gostap/vm"
)

// Where pass 5 runs: in this machine's kernel, in a VM's, or as a process.

func (s *session) runHere(ctx context.Context) error {
	return s.options.run.inKernel(ctx, s.config())
}

func (s *session) runHost(ctx context.Context) error {
	return s.options.run.out.session(ctx, s.config(), consumer.RunHost)
}

func (s *session) config() consumer.Config {
	return s.options.run.config(s.built, s.title(), s.noWarn, s.verbosity(5))
}

// runVM runs `gostap run` in a VM, which sees this machine's files.
func (s *session) runVM(ctx context.Context) error {
	r := &s.options.run
	self, err := os.Executable()
	if err != nil {
		return err
	}
	files, done, err := r.out.open()
	if err != nil {
		return err
	}
	var out io.Writer = os.Stdout
	if files != nil {
		out = files
	}
	complaints := s.status.beside(os.Stderr)
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, unix.SIGINT, unix.SIGTERM)
	defer signal.Stop(interrupts)
	args := append([]string{self, "run", colorArgument()}, r.arguments(s.noWarn, s.verbosity(5))...)
	code, err := vm.Run(ctx, vm.Config{
		Release:   s.vm,
		Args:      append(args, s.built),
		Stdin:     os.Stdin,
		Stdout:    s.status.beside(out),
		Stderr:    complaints,
		Notice:    func(line string) { fmt.Fprintf(complaints, "gostap: %s\n", line) },
		Progress:  s.vmProgress,
		Interrupt: interrupts,
	})
	s.status.say("", 0)
	if closeErr := done(); err == nil {
		err = closeErr
	}
	if err == nil && code != 0 {
		err = exitCode(code)
	}
	return err
}

// vmProgress shows what the VM is waited for, and before a script that says nothing looks like
// a VM that hangs, that it doesn't.
func (s *session) vmProgress(what string) {
	if what == "" {
		s.status.say("the script runs in the VM, Ctrl-C ends it", 8*time.Second)
		return
	}
	s.status.say(what, 500*time.Millisecond)
}
