// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"gostap/consumer"
	"gostap/internal/panics"
)

// outputOptions are the options of a session's output and its form.
type outputOptions struct {
	file     string
	rotate   string
	format   string
	baseline string // the profile that a flame graph is compared with
	plain    string // when histograms are drawn with @: --plain
	bulk     bool   // a file for each processor
	cpus     bool   // the files' names end in _cpuN
	stap     bool   // messages are SystemTap's
}

func (o *outputOptions) flags(f *pflag.FlagSet) {
	f.StringVarP(&o.file, "output-file", "o", "", "write to `FILE`, in which %F and the like stand for the time, instead of standard output; on SIGUSR2, go on in FILE.1 and so on")
	f.StringVarP(&o.rotate, "rotate", "S", "", "with -o, and `SIZE[,N]`: write to FILE.0, FILE.1 and so on, of at most SIZE megabytes each, and keep the last N of them")
	f.StringVar(&o.format, "output", "text", "`FORMAT` of the output: text, json (an object a line), html (a page of all that the session shows), of its stacks folded (text), flamegraph (a page) or pprof, or perfetto (a trace)")
	f.StringVar(&o.baseline, "baseline", "", "with --output=flamegraph, show what has changed since `FILE`, which --output=folded has written")
	f.StringVar(&o.plain, "plain", "auto", "write as into a file: histograms with @ and whole numbers, not with block characters and units, and strings without escapes; `WHEN` is never, always or auto, which is unless output goes to a terminal")
	f.Lookup("plain").NoOptDefVal = "always"
}

func (o *outputOptions) json() bool { return o.format == "json" }

func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return errors.Errorf("--output=%s: text or json", format)
	}
	return nil
}

// terminal reports whether the output is a terminal, or is to be as on one.
func (o *outputOptions) terminal() bool {
	if o.plain != "auto" {
		return o.plain == "never"
	}
	return !o.stap && o.file == "" && term.IsTerminal(int(os.Stdout.Fd()))
}

// blocks reports whether histograms are drawn with block characters.
func (o *outputOptions) blocks() bool {
	if o.plain != "auto" {
		return o.plain == "never"
	}
	locale := strings.ToUpper(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	utf8 := strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
	return utf8 && o.terminal() && os.Getenv("TERM") != "dumb"
}

// plainArgument is --plain for another gostap, whose output is this one's.
func (o *outputOptions) plainArgument() string {
	if o.blocks() {
		return "--plain=never"
	}
	return "--plain=always"
}

func (o *outputOptions) check() error {
	if !slices.Contains([]string{"never", "always", "auto"}, o.plain) {
		return errors.Errorf("--plain=%s: never, always or auto", o.plain)
	}
	if _, _, err := o.rotation(); err != nil {
		return err
	}
	if o.baseline != "" && o.format != "flamegraph" {
		return errors.New("--baseline is for --output=flamegraph")
	}
	if _, ok := pictures[o.format]; !ok {
		if o.format != "text" && o.format != "json" {
			return errors.Errorf("--output=%s: %s", o.format, formats)
		}
		return nil
	}
	if o.bulk || o.rotate != "" {
		return errors.Errorf("--output=%s is one file: -b and -S are for text and json", o.format)
	}
	return nil
}

// rotation reads -S: bytes of a file, and the number of files, 0 for any.
func (o *outputOptions) rotation() (limit int64, keep int, err error) {
	if o.rotate == "" {
		return 0, 0, nil
	}
	size, count, counted := strings.Cut(o.rotate, ",")
	mb, err := strconv.ParseInt(size, 10, 32)
	if err != nil || mb < 1 {
		return 0, 0, errors.Errorf("-S %s: the size is a number of megabytes, from 1", o.rotate)
	}
	if counted {
		if keep, err = strconv.Atoi(count); err != nil || keep < 1 {
			return 0, 0, errors.Errorf("-S %s: behind the comma stands how many files to keep, from 1", o.rotate)
		}
	}
	return mb << 20, keep, nil
}

// open returns the output, nil for standard output, and a function that closes it.
func (o *outputOptions) open() (*consumer.Files, func() error, error) {
	if o.file == "" {
		return nil, func() error { return nil }, nil
	}
	limit, keep, err := o.rotation()
	if err != nil {
		return nil, nil, err
	}
	files, err := consumer.OpenFiles(func() string { return strftime(o.file, time.Now()) }, limit, keep)
	if err != nil {
		return nil, nil, err
	}
	return files, followSwitches(files), nil
}

// openBulk returns the files for each processor, and a function that closes them.
func (o *outputOptions) openBulk() (*consumer.Bulk, func() error, error) {
	limit, keep, err := o.rotation()
	if err != nil {
		return nil, nil, err
	}
	files := consumer.NewBulk(o.bulkName, limit, keep)
	return files, followSwitches(files), nil
}

// bulkName is the name of a processor's file.
func (o *outputOptions) bulkName(cpu int) string {
	name, mark := strftime(o.file, time.Now()), "_"
	if name == "" {
		name = "stpd"
	}
	if o.cpus || o.file == "" {
		mark = "_cpu"
	}
	return fmt.Sprint(name, mark, cpu)
}

// An outputFile can switch to the next file.
type outputFile interface {
	Switch() error
	Close() error
}

// followSwitches makes SIGUSR2 switch files, and returns a function that ends that and closes them.
func followSwitches(files outputFile) (done func() error) {
	switches := make(chan os.Signal, 1)
	signal.Notify(switches, unix.SIGUSR2)
	go func() {
		for range switches {
			if err := switchFiles(files); err != nil {
				report(os.Stderr, err, 0)
			}
		}
	}()
	return func() error {
		signal.Stop(switches)
		return files.Close()
	}
}

// switchFiles switches the output to the next file. An error does not end the session.
func switchFiles(files outputFile) (err error) {
	defer panics.Catch(&err)
	return files.Switch()
}

// runSession runs a session to its end, or until it is left, with the output that the options name.
func (o *outputOptions) runSession(ctx context.Context, cfg consumer.Config,
	run func(context.Context, consumer.Config) (consumer.Result, error)) error {
	cfg.Blocks, cfg.Terminal = o.blocks(), o.terminal()
	done := func() error { return nil }
	draw := func(io.Writer) error { return nil }
	if picture := pictures[o.format]; picture != nil {
		var err error
		if draw, err = picture(o, &cfg); err != nil {
			return err
		}
	}
	if o.bulk {
		bulk, end, err := o.openBulk()
		if err != nil {
			return err
		}
		cfg.Bulk, done = bulk, end
	} else {
		files, end, err := o.open()
		if err != nil {
			return err
		}
		if files != nil {
			cfg.Output = files
		}
		done = end
	}
	result, err := run(ctx, cfg)
	w := cfg.Output
	if w == nil {
		w = os.Stdout
	}
	if drawErr := draw(w); err == nil {
		err = drawErr
	}
	if closeErr := done(); err == nil {
		err = closeErr
	}
	switch {
	case result.Left != "" && o.stap:
		fmt.Fprintf(os.Stderr, "\nDisconnecting from systemtap module.\nTo reconnect, type \"staprun -A %s\"\n", result.Left)
	case result.Left != "":
		fmt.Fprintf(os.Stderr, "Session %[1]s goes on by itself; \"gostap attach %[1]s\" prints what it has recorded, \"gostap stop %[1]s\" ends it.\n", result.Left)
	}
	if err == nil && result.ExitCode != 0 {
		err = exitCode(result.ExitCode)
	}
	return err
}
