// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// A signalError is the cause of a context that a signal has ended.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return e.signal.String() }

// catchSignals returns a context that is done at a signal that ends gostap, so that
// passes 1 to 4 leave no incomplete files behind, and a function that restores the
// signals' default action. A second signal does so, too.
func catchSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM) // even if a shell script has its background jobs ignore SIGINT
	if !signal.Ignored(unix.SIGHUP) {
		signal.Notify(signals, unix.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			cancel(signalError{s.(syscall.Signal)})
			signal.Stop(signals)
		case <-done:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(done)
		select {
		case s := <-signals: // it has come in the meantime
			cancel(signalError{s.(syscall.Signal)})
		default:
		}
	})
}

// interrupted returns the exit code after a signal: 128 plus its number, as in
// shells.
func interrupted(ctx context.Context) (exitCode, bool) {
	var e signalError
	if !errors.As(context.Cause(ctx), &e) {
		return 0, false
	}
	return exitCode(128 + int(e.signal)), true
}
