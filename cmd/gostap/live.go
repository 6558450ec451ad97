// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"gostap/consumer"
	"gostap/live"
	"gostap/live/monitor"
	"gostap/live/otlp"
	"gostap/live/serve"
)

// liveOptions are the options of showing a session while it runs.
type liveOptions struct {
	monitor string // seconds; "" without --monitor
	serve   serve.Options
	otlp    string // the receiver's address; "" without --otlp
}

// A runSession is consumer.Run, or a function around it.
type runSession = func(context.Context, consumer.Config) (consumer.Result, error)

func (l *liveOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&l.monitor, "monitor", "", "show the session in the terminal while it runs, anew every `SECONDS`: globals, probes, output; its last line has the keys")
	f.Lookup("monitor").NoOptDefVal = "1"
	f.StringVar(&l.serve.Address, "serve", "", "show the session at `HOST:PORT` while it runs: a page, /metrics for Prometheus, /session.json, /healthz; without HOST, on the loopback")
	f.StringVar(&l.serve.TokenFile, "serve-token", "", "answer those who send the token that is in `FILE`; beyond the loopback this or --serve-tls is needed")
	f.StringVar(&l.serve.TLS, "serve-tls", "", "serve by https, with `CERT,KEY[,CLIENTS]`; with CLIENTS, to those alone whose certificates these have signed")
	f.StringVar(&l.otlp, "otlp", "", "send globals and probes as metrics, what is printed as logs and stacks as profiles to an OpenTelemetry receiver at `URL`, such as http://localhost:4318")
}

// on reports whether the script is to be built with views of its globals.
func (l *liveOptions) on() bool { return l.shows() || l.otlp != "" }

// shows reports whether the session is shown, by --monitor or --serve.
func (l *liveOptions) shows() bool { return l.serve.Address != "" || l.monitor != "" }

// interval is --monitor's.
func (l *liveOptions) interval() (time.Duration, error) {
	d, err := time.ParseDuration(l.monitor + "s")
	if err != nil || d < 100*time.Millisecond || d > time.Hour {
		return 0, errors.Errorf("--monitor=%s: seconds between two looks, from 0.1 to 3600", l.monitor)
	}
	return d, nil
}

func (l *liveOptions) check(r *runOptions) error {
	switch {
	case l.on() && r.recorder:
		return errors.New("-F leaves the session, and nobody would be there to show it: --monitor, --serve and --otlp don't go with it")
	case l.serve.Address == "" && (l.serve.TokenFile != "" || l.serve.TLS != ""):
		return errors.New("--serve-token and --serve-tls are for --serve HOST:PORT")
	case l.monitor != "" && l.serve.Address != "":
		return errors.New("--monitor and --serve show the same session: give one of them")
	case l.monitor != "" && pictures[r.out.format] != nil && r.out.file == "":
		return errors.Errorf("--monitor has the terminal: give --output=%s a file, with -o", r.out.format)
	}
	if l.otlp != "" {
		if err := otlp.Check(l.otlp); err != nil {
			return err
		}
	}
	switch {
	case l.monitor != "":
		_, err := l.interval()
		return err
	case l.serve.Address != "":
		return l.serve.Check()
	}
	return nil
}

// shown runs a session that is shown as the options say.
func (l *liveOptions) shown(run runSession) runSession {
	run = l.sent(run)
	switch {
	case l.serve.Address != "":
		return func(ctx context.Context, cfg consumer.Config) (consumer.Result, error) {
			return l.served(ctx, cfg, run)
		}
	case l.monitor != "":
		return func(ctx context.Context, cfg consumer.Config) (consumer.Result, error) {
			return l.monitored(ctx, cfg, run)
		}
	}
	return run
}

func (l *liveOptions) served(ctx context.Context, cfg consumer.Config, run runSession) (consumer.Result, error) {
	tail := &live.Tail{}
	server, err := serve.Listen(l.serve, tail)
	if err != nil {
		return consumer.Result{ExitCode: 1}, err
	}
	defer server.Close()
	out := cfg.Output
	if out == nil {
		out = os.Stdout
	}
	if _, files := out.(*consumer.Files); !files && cfg.Collector == nil {
		cfg.Output = io.MultiWriter(out, tail)
	}
	cfg.Watch = server.Watch
	fmt.Fprintf(os.Stderr, "gostap: the session is shown at %s\n", server.URL())
	return run(ctx, cfg)
}

// monitored shows the session in the terminal. When that is over, it prints the end of the script's output.
func (l *liveOptions) monitored(ctx context.Context, cfg consumer.Config, run runSession) (consumer.Result, error) {
	if !term.IsTerminal(0) || !term.IsTerminal(1) {
		return consumer.Result{ExitCode: 1}, errors.New("--monitor shows the session in a terminal, and there is none; --serve :PORT shows it in a browser")
	}
	interval, err := l.interval()
	if err != nil {
		return consumer.Result{ExitCode: 1}, err
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	tail := &live.Tail{}
	if _, files := cfg.Output.(*consumer.Files); !files {
		cfg.Output = tail
	}
	cfg.Stderr, cfg.Progress, cfg.Writing = tail, nil, nil
	cfg.Watch = func(session live.Session) func() { return monitor.Start(session, tail, interval, nil, quit) }
	result, err := run(ctx, cfg)
	text, _ := tail.Since(0)
	fmt.Fprint(os.Stdout, text)
	return result, err
}
