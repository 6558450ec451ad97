// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gostap/consumer"
	"gostap/live"
	"gostap/live/otlp"
)

// sent returns a runSession that sends the session to the receiver of --otlp, if there is one.
func (l *liveOptions) sent(run runSession) runSession {
	if l.otlp == "" {
		return run
	}
	return func(ctx context.Context, cfg consumer.Config) (consumer.Result, error) {
		warn := func(text string) {
			var stderr io.Writer = os.Stderr
			if cfg.Stderr != nil {
				stderr = cfg.Stderr
			}
			if !cfg.NoWarnings {
				fmt.Fprintf(stderr, "WARNING: --otlp: %s\n", text)
			}
		}
		stacks := new(consumer.Stacks)
		version, _, _ := strings.Cut(version, ",")
		sender, err := otlp.Start(otlp.Options{Endpoint: l.otlp, Script: filepath.Base(cfg.Script), Version: version, Stacks: stacks.Take, Warn: warn})
		if err != nil {
			return consumer.Result{ExitCode: 1}, err
		}
		cfg.Events, cfg.Samples, cfg.Watch = sender.Event, stacks, alsoWatch(cfg.Watch, sender.Watch)
		result, err := run(ctx, cfg)
		if missing := sender.Close(stacks.Profile()); missing != "" {
			warn(missing)
		}
		return result, err
	}
}

// alsoWatch adds a second watcher of a session to the first, if there is one.
func alsoWatch(first, second func(live.Session) (end func())) func(live.Session) func() {
	if first == nil {
		return second
	}
	return func(s live.Session) func() {
		end, alsoEnd := first(s), second(s)
		return func() {
			alsoEnd()
			end()
		}
	}
}
