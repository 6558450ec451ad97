// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gostap/consumer"
	"gostap/manifest"
	"gostap/translator/suggest"
)

// runOptions are those of pass 5, which `gostap run` has too.
type runOptions struct {
	command  string
	pid      int
	output   string
	format   string
	bufferMB int
	timeout  int
	globals  []string
}

func (r *runOptions) flags(f *pflag.FlagSet) {
	f.StringVarP(&r.command, "command", "c", "", "start `CMD` with the session, and end when it ends; target() is its pid")
	f.IntVarP(&r.pid, "pid", "x", 0, "set target() to `PID`")
	f.IntVarP(&r.timeout, "timeout", "T", 0, "end after `SECONDS`")
	f.StringArrayVarP(&r.globals, "global", "G", nil, "set a global variable, `NAME=VALUE`")
	f.StringVarP(&r.output, "output-file", "o", "", "write to `FILE`, in which %F and the like stand for the time, instead of standard output")
	f.StringVar(&r.format, "output", "text", "`FORMAT` of the output: text, or json (an object a line)")
	f.IntVarP(&r.bufferMB, "buffer", "s", 0, "use buffers of `MB` megabytes for each processor")
}

// check refuses what makes no sense.
func (r *runOptions) check() error {
	switch {
	case r.format != "text" && r.format != "json":
		return errors.Errorf("--output=%s: text or json", r.format)
	case r.command != "" && r.pid != 0:
		return errors.New("-c and -x both set target(): give one of them")
	case r.pid < 0:
		return errors.Errorf("-x %d: not a process's number", r.pid)
	case r.timeout < 0:
		return errors.Errorf("-T %d: a time to come is positive", r.timeout)
	case r.bufferMB < 0 || r.bufferMB > maxBufferMB:
		return errors.Errorf("-s %d: from 1 to %d", r.bufferMB, maxBufferMB)
	}
	for _, g := range r.globals {
		if name, _, ok := strings.Cut(g, "="); !ok || name == "" {
			return errors.Errorf("-G %s: write it NAME=VALUE", g)
		}
	}
	return nil
}

// maxBufferMB is the most that -s takes, as SystemTap has it.
const maxBufferMB = 4095

// checkGlobals refuses a -G that a module with that manifest would not take.
func (r *runOptions) checkGlobals(m *manifest.Manifest) error {
	known := map[string]manifest.Global{}
	var names []string
	for _, g := range m.Globals {
		known[g.Name] = g
		names = append(names, g.Name)
	}
	for _, set := range r.globals {
		name, value, _ := strings.Cut(set, "=")
		g, ok := known[name]
		switch hint := suggest.Hint(name, names); {
		case !ok && hint != "":
			return errors.Errorf("-G %s: the script has no number or string of that name (%s)", set, hint)
		case !ok:
			return errors.Errorf("-G %s: the script has no number or string of that name", set)
		case g.String:
			continue
		}
		if _, err := strconv.ParseInt(value, 0, 64); err != nil {
			return errors.Errorf("-G %s: %s is a number, and %q is none", set, name, value)
		}
	}
	return nil
}

// arguments are r as a command line for gostap run, without -o: the output
// of a run in the VM is written to a file on this side.
func (r *runOptions) arguments(noWarn bool, verbosity int) []string {
	args := []string{"--output=" + r.format}
	if r.timeout != 0 {
		args = append(args, fmt.Sprintf("-T%d", r.timeout))
	}
	if r.bufferMB != 0 {
		args = append(args, fmt.Sprintf("-s%d", r.bufferMB))
	}
	if r.command != "" {
		args = append(args, "-c", r.command)
	}
	for _, g := range r.globals {
		args = append(args, "-G", g)
	}
	if noWarn {
		args = append(args, "-w")
	}
	if verbosity > 0 {
		args = append(args, "-"+strings.Repeat("v", verbosity))
	}
	return args
}

// open returns where the output goes, and what ends it.
func (r *runOptions) open() (*os.File, func() error, error) {
	if r.output == "" {
		return os.Stdout, func() error { return nil }, nil
	}
	f, err := os.Create(strftime(r.output, time.Now()))
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// config turns the options into the consumer's.
func (r *runOptions) config(module string, noWarn bool, verbosity int) consumer.Config {
	return consumer.Config{
		Module:     module,
		Target:     r.pid,
		Command:    r.command,
		Globals:    r.globals,
		JSON:       r.format == "json",
		BufferMB:   r.bufferMB,
		Timeout:    time.Duration(r.timeout) * time.Second,
		NoWarnings: noWarn,
		Verbose:    verbosity > 1,
	}
}

// session runs what one of the consumer's two runners runs.
func (r *runOptions) session(ctx context.Context, cfg consumer.Config,
	run func(context.Context, consumer.Config) (consumer.Result, error)) error {
	out, done, err := r.open()
	if err != nil {
		return err
	}
	cfg.Output = out
	result, err := run(ctx, cfg)
	if closeErr := done(); err == nil {
		err = closeErr
	}
	if err == nil && result.ExitCode != 0 {
		err = exitCode(result.ExitCode)
	}
	return err
}

func newRun() *cobra.Command {
	var r runOptions
	var verbose int
	var noWarn bool
	cmd := &cobra.Command{
		Use:   "run [OPTION…] FILE.ko",
		Short: "Run a module that gostap has built",
		Long: `run loads a module built by gostap -p4, runs its probes, and unloads it. It
takes neither compiler nor kernel headers nor BTF: the module may come from
another machine that has the same kernel.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("run: give one FILE.ko (see gostap run --help)")
			}
			if err := r.check(); err != nil {
				return err
			}
			m, err := consumer.ReadManifest(args[0])
			if err != nil {
				return err
			}
			if err := r.checkGlobals(m); err != nil {
				return err
			}
			return r.session(cmd.Context(), r.config(args[0], noWarn, verbose), consumer.Run)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	r.flags(f)
	f.CountVarP(&verbose, "verbose", "v", "say what is being done, if given twice")
	f.BoolVarP(&noWarn, "no-warnings", "w", false, "no warnings")
	return cmd
}
