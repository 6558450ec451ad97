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
	"gostap/live"
	"gostap/output/flamegraph"
	"gostap/output/folded"
	"gostap/output/pprof"
	"gostap/output/profile"
)

// A picture makes a session collect its records, and returns a function that writes the picture, or its rest, at the session's end.
type picture func(o *outputOptions, cfg *consumer.Config) (draw func(io.Writer) error, err error)

// pictures are the forms of --output other than lines.
var pictures = map[string]picture{
	"folded":     stacks(func(w io.Writer, p, _ *profile.Profile, _ string) error { return folded.Write(w, p) }),
	"flamegraph": stacks(flamegraph.Write),
	"pprof":      stacks(func(w io.Writer, p, _ *profile.Profile, _ string) error { return pprof.Write(w, p) }),
	"perfetto":   trace,
	"html":       page,
}

// formats are the values of --output.
const formats = "text, json, html, folded, flamegraph, pprof or perfetto"

// page writes a report of the session.
func page(_ *outputOptions, cfg *consumer.Config) (func(io.Writer) error, error) {
	shown := new(consumer.Shown)
	var final *live.Snapshot
	cfg.Collector, cfg.Final = shown, func(s *live.Snapshot) { final = s }
	return func(w io.Writer) error { return shown.Report(pictureTitle(cfg), final).Write(w) }, nil
}

// trace writes the session's output while it runs.
func trace(_ *outputOptions, cfg *consumer.Config) (func(io.Writer) error, error) {
	t := new(consumer.Trace)
	cfg.Collector = t
	return func(w io.Writer) error {
		_, err := w.Write(t.Rest())
		return errors.WithStack(err)
	}, nil
}

// stacks are pictures of the stacks of a session with that title, beside those of --baseline, if any.
func stacks(write func(w io.Writer, p, baseline *profile.Profile, title string) error) picture {
	return func(o *outputOptions, cfg *consumer.Config) (func(io.Writer) error, error) {
		baseline, err := o.readBaseline()
		if err != nil {
			return nil, err
		}
		s := new(consumer.Stacks)
		cfg.Collector = s
		return func(w io.Writer) error {
			p := s.Profile()
			if p.Root.Total() == 0 && !cfg.NoWarnings {
				fmt.Fprintf(os.Stderr, "WARNING: the session has shown no stacks for --output=%s: print_backtrace(), print_ubacktrace(), or an array with backtrace() as its key show some\n", o.format)
			}
			return write(w, p, baseline, pictureTitle(cfg))
		}, nil
	}
}

func pictureTitle(cfg *consumer.Config) string { return filepath.Base(cmp.Or(cfg.Script, "gostap")) }

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
