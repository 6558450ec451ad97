// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/consumer"
)

// stapRun are the options of staprun(8).
type stapRun struct {
	runOptions
	verbose        int
	noWarn         bool
	attach, remove bool
	daemon, detach bool
	color          string
}

// newStaprun makes the command with the options and messages of staprun(8).
func newStaprun() *cobra.Command {
	r := &stapRun{}
	r.out.format, r.out.plain, r.out.stap = "text", "always", true
	cmd := &cobra.Command{
		Use:           "staprun",
		Version:       version,
		Short:         "Run a module that gostap has built, as SystemTap's staprun does",
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.SetVersionTemplate(stapVersion("module loader/runner"))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			fmt.Fprintln(os.Stderr, "ERROR: Need a module name or path to load.")
			cmd.Help()
			return exitCode(1)
		}
		err := r.execute(cmd.Context(), args[0], args[1:])
		var code exitCode
		if err != nil && !errors.As(err, &code) {
			fmt.Fprintf(os.Stderr, "ERROR: %v\n", err)
			return exitCode(1)
		}
		return err
	}
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		fmt.Fprintln(os.Stderr, stapFlagError("staprun", err))
		c.Help()
		return exitCode(1)
	})
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprintf(c.OutOrStdout(), "\nUsage: staprun [OPTIONS] MODULE [NAME=VALUE ...]\n\n")
		flagUsages(c.OutOrStdout(), c.LocalFlags())
	})
	f := cmd.Flags()
	f.SortFlags = false
	f.CountVarP(&r.verbose, "verbose", "v", "say what is being done")
	f.BoolP("version", "V", false, "print the version")
	f.BoolVarP(&r.noWarn, "no-warnings", "w", false, "no warnings")
	f.StringVarP(&r.command, "command", "c", "", "start `CMD`, and end when it ends")
	f.VarP((*decimal)(&r.pid), "pid", "x", "set target() to `PID`")
	f.StringVarP(&r.out.file, "output-file", "o", "", "write to `FILE`")
	f.StringVarP(&r.out.rotate, "rotate", "S", "", "write to files of at most `SIZE[,N]` megabytes, and keep N")
	f.IntVarP(&r.spaces, "target-namespaces", "N", 0, "count in the namespaces of process `PID`")
	f.VarP((*decimal)(&r.bufferMB), "buffer", "b", "use buffers of `MB` megabytes")
	r.buffer = f.Lookup("buffer")
	f.BoolVarP(&r.detach, "detach", "L", false, "start the probes and leave the session")
	f.BoolVarP(&r.attach, "attach", "A", false, "attach to a session that was left")
	f.BoolVarP(&r.remove, "delete", "d", false, "end a session that nobody reads")
	f.BoolVarP(&r.daemon, "daemon", "D", false, "run in the background, and print the process's number")
	f.StringVarP(&r.color, "color", "C", "auto", "colour messages: `WHEN` is never, always or auto")
	for _, o := range []struct{ name, short string }{{"uprobes", "u"}, {"rename", "R"}} {
		f.BoolP(o.name, o.short, false, "no meaning")
		f.MarkHidden(o.name)
	}
	for _, o := range []struct{ name, short string }{{"monitor", "M"}, {"remote", "r"}, {"wakeup", "T"}} {
		f.StringP(o.name, o.short, "", "no meaning")
		f.MarkHidden(o.name)
	}
	return cmd
}

// execute runs the action of the options on a module with its own options, NAME=VALUE.
func (r *stapRun) execute(ctx context.Context, name string, settings []string) error {
	if err := r.together(); err != nil {
		return err
	}
	if err := setColor(r.color); err != nil {
		return err
	}
	if r.remove && name == "*" {
		return stopUnread()
	}
	if r.remove || r.attach {
		module := strings.TrimSuffix(filepath.Base(name), ".ko")
		if err := attachable(module); err != nil {
			return err
		}
		if r.remove {
			return stop([]string{module})
		}
		cfg := consumer.Config{NoWarnings: r.noWarn, Color: colorful}
		return r.out.runSession(ctx, cfg, func(ctx context.Context, cfg consumer.Config) (consumer.Result, error) {
			return consumer.Attach(ctx, module, cfg)
		})
	}
	r.recorder = r.detach || r.daemon
	for _, set := range settings {
		name, value, _ := strings.Cut(set, "=")
		r.globals = append(r.globals, name+"="+strings.Trim(value, `"`))
	}
	if err := r.check(); err != nil {
		return err
	}
	path := modulePath(name)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		fmt.Fprintf(os.Stderr, "ERROR: Unable to canonicalize path \"%s\": No such file or directory\n", path)
		return errors.Errorf("Couldn't insert module '%s': Unknown symbol in module", path)
	}
	m, err := consumer.ReadManifest(path)
	if err != nil {
		return err
	}
	if err := r.checkGlobals(m); err != nil {
		return err
	}
	r.out.bulk = m.Bulk
	return r.inKernel(ctx, r.config(path, name, r.noWarn, r.verbose))
}

// together refuses combinations of options that staprun refuses, with its messages.
func (r *stapRun) together() error {
	switch {
	case r.command != "" && r.pid != 0:
		return errors.New("You can't specify the '-c' and '-x' options together.")
	case r.attach && r.detach:
		return errors.New("You can't specify the '-A' and '-L' options together.")
	case r.attach && r.command != "":
		return errors.New("You can't specify the '-A' and '-c' options together.")
	case r.daemon && r.out.file == "":
		return errors.New("You have to specify output FILE with '-D' option.")
	case r.out.rotate != "" && r.out.file == "":
		return errors.New("You have to specify output FILE with '-S' option.")
	case r.out.rotate != "" && matches("-S", r.out.rotate) != nil:
		return errors.Errorf("Invalid file size option '%s'.", r.out.rotate)
	case oneOf("-C", r.color, "never", "always", "auto") != nil:
		return errors.Errorf("Invalid option '%s' for -C.", r.color)
	case r.buffer.Changed && (r.bufferMB < 1 || r.bufferMB > maxBufferMB):
		return errors.Errorf("Invalid buffer size '%d' (should be 1-%d).", r.bufferMB, maxBufferMB)
	}
	return nil
}

// attachable returns staprun's error if there is no session of the module.
func attachable(module string) error {
	sessions, err := consumer.Sessions()
	for _, s := range sessions {
		if s.Module == module {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return errors.Errorf("Cannot attach to module %s control channel; not running?", module)
}

// stopUnread ends all sessions that nobody reads.
func stopUnread() error {
	sessions, err := consumer.Sessions()
	if err != nil {
		return err
	}
	var names []string
	for _, s := range sessions {
		if s.PID == 0 && s.State != "loaded" {
			names = append(names, s.Module)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return stop(names)
}

// modulePath returns the path of a module, which is given by path or by name among those of the running kernel.
func modulePath(name string) string {
	if _, err := os.Stat(name); err == nil || strings.Contains(name, "/") || strings.HasSuffix(name, ".ko") {
		return name
	}
	return filepath.Join("/lib/modules", runningRelease(), "systemtap", strings.TrimSuffix(name, ".ko")+".ko")
}
