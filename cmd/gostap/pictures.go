// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gostap/consumer"
	"gostap/output/flamegraph"
	"gostap/output/folded"
	"gostap/output/pprof"
	"gostap/output/profile"
)

// A picture writes the stacks of a session with that title, beside those of --baseline, if any.
type picture func(w io.Writer, p, baseline *profile.Profile, title string) error

// pictures are the forms of --output that are written at the session's end.
var pictures = map[string]picture{
	"folded":     func(w io.Writer, p, _ *profile.Profile, _ string) error { return folded.Write(w, p) },
	"flamegraph": flamegraph.Write,
	"pprof":      func(w io.Writer, p, _ *profile.Profile, _ string) error { return pprof.Write(w, p) },
}

// readBaseline reads --baseline's file, nil if there is none.
func (o *outputOptions) readBaseline() (*profile.Profile, error) {
	if o.baseline == "" {
		return nil, nil
	}
	file, err := os.Open(o.baseline)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer file.Close()
	p, err := folded.Read(file)
	return p, errors.Wrapf(err, "--baseline=%s", o.baseline)
}

// draw writes what a session has shown.
func (o *outputOptions) draw(w io.Writer, write picture, baseline *profile.Profile, cfg *consumer.Config) error {
	p := cfg.Stacks.Profile()
	if p.Root.Total() == 0 && !cfg.NoWarnings {
		fmt.Fprintf(os.Stderr, "WARNING: the session has shown no stacks for --output=%s: print_backtrace(), print_ubacktrace(), or an array with backtrace() as its key show some\n", o.format)
	}
	return write(w, p, baseline, filepath.Base(cmp.Or(cfg.Script, "gostap")))
}
