// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// runOptions are the options of pass 5, which `gostap run` has, too.
type runOptions struct {
	command     string
	pid         int
	bufferMB    int
	buffer      *pflag.Flag // the flag for it
	timeout     int
	timeoutFlag *pflag.Flag // the flag for it
	globals     []string
	symbols     []string // -d
	ldd         bool
	spaces      int  // --target-namespaces
	recorder    bool // -F
	bundled     bool // this program is a bundle, which runs its own modules
	out         outputOptions
	live        liveOptions
}

func (r *runOptions) flags(f *pflag.FlagSet) {
	f.StringVarP(&r.command, "command", "c", "", "start `CMD` with the session, and end when it ends; target() is its pid")
	f.VarP((*decimal)(&r.pid), "pid", "x", "set target() to `PID`")
	f.IntVarP(&r.timeout, "timeout", "T", 0, "end after `SECONDS`")
	r.timeoutFlag = f.Lookup("timeout")
	f.VarP((*texts)(&r.globals), "global", "G", "set a global variable, `NAME=VALUE`")
	f.VarP((*texts)(&r.symbols), "symbols", "d", "follow stacks of the program or library `PATH` from the first on; others are known once they are met, and the kernel's MODULEs always")
	f.BoolVar(&r.ldd, "ldd", false, "and those of the libraries that it needs")
	f.IntVar(&r.spaces, "target-namespaces", 0, "count in the namespaces of process `PID` where functions such as ns_pid() do (default: this process)")
	r.out.flags(f)
	r.live.flags(f)
	f.BoolVarP(&r.out.bulk, "bulk", "b", false, "write to a file for each processor, FILE_N or stpd_cpuN, which gostap merge puts back in order")
	f.BoolVarP(&r.recorder, "flight-recorder", "F", false, "leave the session to itself, keeping the latest records in its buffers (see gostap attach --help); with -o, leave it to a process in the background")
	f.VarP((*decimal)(&r.bufferMB), "buffer", "s", "use buffers of `MB` megabytes for each processor")
	r.buffer = f.Lookup("buffer")
}

// A decimal is an option's number in base ten only: 010 is 10.
type decimal int

func (d *decimal) String() string { return strconv.Itoa(int(*d)) }
func (d *decimal) Type() string   { return "int" }
func (d *decimal) Set(s string) error {
	n, err := strconv.Atoi(s)
	*d = decimal(n)
	return err
}

// check refuses invalid options.
func (r *runOptions) check() error {
	switch {
	case r.recorder && pictures[r.out.format] != nil:
		return errors.Errorf("--output=%s is one file of a whole session, and -F leaves it: give one of them", r.out.format)
	case r.leaves() && r.command != "":
		return errors.New("-F leaves the session at once, -c ends it with the command: give one of them, or -o FILE")
	case r.leaves() && r.timeout != 0:
		return errors.New("-F leaves the session at once, and nobody is there for -T: give one of them, or -o FILE")
	case r.command != "" && r.pid != 0:
		return errors.New("-c and -x both set target(): give one of them")
	case r.pid < 0:
		return errors.Errorf("-x %d: not a process's number", r.pid)
	case r.spaces < 0:
		return errors.Errorf("--target-namespaces %d: not a process's number", r.spaces)
	case r.timeout < 0 || r.timeout == 0 && r.timeoutFlag != nil && r.timeoutFlag.Changed:
		return errors.Errorf("-T %d: a time to come is positive", r.timeout)
	case r.bufferMB < 0 || r.bufferMB > maxBufferMB || r.bufferMB == 0 && r.buffer != nil && r.buffer.Changed:
		return errors.Errorf("-s %d: from 1 to %d", r.bufferMB, maxBufferMB)
	}
	for _, g := range r.globals {
		if name, _, ok := strings.Cut(g, "="); !ok || name == "" {
			return errors.Errorf("-G %s: write it NAME=VALUE", g)
		}
	}
	if err := r.live.check(r); err != nil {
		return err
	}
	return r.out.check()
}

// leaves reports whether the session is left to itself once it has been started.
func (r *runOptions) leaves() bool { return r.recorder && r.out.file == "" }

// maxBufferMB is the largest -s, as in SystemTap.
const maxBufferMB = 4095

// checkGlobals checks -G against the globals in a manifest.
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

// arguments returns r as a command line for gostap run, without the options about
// the file of the output.
func (r *runOptions) arguments(noWarn bool, verbosity int) []string {
	args := []string{"--output=" + r.out.format}
	if path, err := filepath.Abs(r.out.baseline); err == nil && r.out.baseline != "" {
		args = append(args, "--baseline", path)
	}
	if r.timeout != 0 {
		args = append(args, fmt.Sprintf("-T%d", r.timeout))
	}
	if r.bufferMB != 0 {
		args = append(args, fmt.Sprintf("-s%d", r.bufferMB))
	}
	if r.pid != 0 {
		args = append(args, fmt.Sprintf("-x%d", r.pid))
	}
	if r.spaces != 0 {
		args = append(args, fmt.Sprintf("--target-namespaces=%d", r.spaces))
	}
	if r.command != "" {
		args = append(args, "-c", r.command)
	}
	for _, g := range r.globals {
		args = append(args, "-G", g)
	}
	for _, path := range r.images() {
		args = append(args, "-d", path)
	}
	if r.ldd {
		args = append(args, "--ldd")
	}
	if noWarn {
		args = append(args, "-w")
	}
	if verbosity > 0 {
		args = append(args, "-"+strings.Repeat("v", verbosity))
	}
	return args
}

// images returns the paths of -d.
func (r *runOptions) images() []string {
	var paths []string
	for _, name := range r.symbols {
		if !strings.Contains(name, "/") {
			continue
		}
		if path, err := filepath.Abs(name); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// config returns the consumer's configuration.
func (r *runOptions) config(module, script string, noWarn bool, verbosity int) consumer.Config {
	return consumer.Config{
		Module:     module,
		Script:     script,
		Recorder:   r.leaves(),
		Target:     r.pid,
		Command:    r.command,
		Globals:    r.globals,
		Namespaces: r.spaces,
		Images:     r.images(),
		Libraries:  r.ldd,
		JSON:       r.out.json(),
		BufferMB:   r.bufferMB,
		Timeout:    time.Duration(r.timeout) * time.Second,
		NoWarnings: noWarn,
		Color:      colorful,
		Verbose:    verbosity,
	}
}

// inKernel runs a module in this machine's kernel.
func (r *runOptions) inKernel(ctx context.Context, cfg consumer.Config) error {
	if r.recorder && r.out.file != "" {
		return r.inBackground(cfg)
	}
	if cfg.Stderr == nil {
		status := r.out.newStatusLine()
		defer status.close()
		if status != nil {
			cfg.Stderr = status.wrap(os.Stderr)
			cfg.Progress = func(what string) { status.show(what, 500*time.Millisecond) }
			cfg.Writing = status.before
		}
	}
	return r.out.runSession(ctx, cfg, r.live.shown(consumer.Run))
}

func newRun() *cobra.Command {
	r := &moduleRun{}
	cmd := &cobra.Command{
		Use:   "run [OPTION…] FILE.ko",
		Short: "Run a module that gostap has built",
		Long: `run loads a module built by gostap -p4, runs its probes, and unloads it. It
takes neither compiler nor kernel headers nor BTF: the module may come from
another machine that has the same kernel.

Ctrl-C ends the session with its end probes and all its output, a second one at
once. Ctrl-\ (SIGQUIT) leaves it: see gostap attach --help.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("run: give one FILE.ko (see gostap run --help)")
			}
			return r.execute(cmd.Context(), args[0])
		},
	}
	r.flags(cmd.Flags())
	return cmd
}
