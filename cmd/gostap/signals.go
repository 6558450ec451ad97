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

// catchSignals returns a context that is done when a signal asks gostap to end, so
// that passes 1 to 4 leave nothing half done behind, and what makes signals end
// gostap at once again. A second one does so, too.
func catchSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
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
		case s := <-signals: // it came just now
			cancel(signalError{s.(syscall.Signal)})
		default:
		}
	})
}

// interrupted returns the exit code of what a signal has ended: 128 and its number,
// as shells have it.
func interrupted(ctx context.Context) (exitCode, bool) {
	var e signalError
	if !errors.As(context.Cause(ctx), &e) {
		return 0, false
	}
	return exitCode(128 + int(e.signal)), true
}
