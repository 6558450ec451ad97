// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gostap/consumer"
	"gostap/output/flamegraph"
	"gostap/output/folded"
	"gostap/output/pprof"
	"gostap/output/profile"
)

// A picture writes the stacks of a session with that title.
type picture func(w io.Writer, p *profile.Profile, title string) error

// pictures are the forms of --output that are written at the session's end.
var pictures = map[string]picture{
	"folded":     func(w io.Writer, p *profile.Profile, _ string) error { return folded.Write(w, p) },
	"flamegraph": flamegraph.Write,
	"pprof":      func(w io.Writer, p *profile.Profile, _ string) error { return pprof.Write(w, p) },
}

// draw writes what a session has shown.
func (o *outputOptions) draw(w io.Writer, write picture, cfg *consumer.Config) error {
	p := cfg.Stacks.Profile()
	if p.Root.Total() == 0 && !cfg.NoWarnings {
		fmt.Fprintf(os.Stderr, "WARNING: the session has shown no stacks for --output=%s: print_backtrace(), print_ubacktrace(), or an array with backtrace() as its key show some\n", o.format)
	}
	return write(w, p, filepath.Base(cmp.Or(cfg.Script, "gostap")))
}
