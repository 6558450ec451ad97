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

func (inv *invocation) runInKernel(ctx context.Context) error {
	return inv.options.run.inKernel(ctx, inv.config())
}

func (inv *invocation) runHost(ctx context.Context) error {
	return inv.options.run.out.runSession(ctx, inv.config(), inv.options.run.live.sent(consumer.RunHost))
}

func (inv *invocation) config() consumer.Config {
	return inv.options.run.config(inv.built, inv.title(), inv.noWarn, inv.verbosity(5))
}

// runVM runs `gostap run` in a VM, which sees this machine's files.
func (inv *invocation) runVM(ctx context.Context) error {
	r := &inv.options.run
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
	stderr := inv.status.wrap(os.Stderr)
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, unix.SIGINT, unix.SIGTERM)
	defer signal.Stop(interrupts)
	args := append([]string{self, "run", colorArgument(), r.out.plainArgument(), "--script", inv.title()}, r.arguments(inv.noWarn, inv.verbosity(5))...)
	code, err := vm.Run(ctx, vm.Config{
		Release:   inv.vm,
		Args:      append(args, inv.built),
		Stdin:     os.Stdin,
		Stdout:    inv.status.wrap(out),
		Stderr:    stderr,
		Notice:    func(line string) { fmt.Fprintf(stderr, "gostap: %s\n", line) },
		Progress:  inv.vmProgress,
		Interrupt: interrupts,
	})
	inv.status.show("", 0)
	if closeErr := done(); err == nil {
		err = closeErr
	}
	if err == nil && code != 0 {
		err = exitCode(code)
	}
	return err
}

// vmProgress shows what the VM is doing. While the script runs, which may print nothing for long,
// it shows that.
func (inv *invocation) vmProgress(what string) {
	if what == "" {
		inv.status.show("the script runs in the VM, Ctrl-C ends it", 8*time.Second)
		return
	}
	inv.status.show(what, 500*time.Millisecond)
}
