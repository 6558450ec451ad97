// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/panics"
)

// A supervisor decides when a session or a host run ends: at exit(), a signal, the end of
// the -c command, the timeout, or an output that fails. A second Ctrl-C ends whatever
// it waits for.
type supervisor struct {
	ctx            context.Context
	cfg            *Config
	messages       *messenger
	out            *output
	systemCommands *systemCommands
	command        *command // nil without -c
	signals        <-chan os.Signal

	ends       chan struct{} // has a value once the session is to end, or to be left
	caught     int           // signals that end it
	detachable bool          // SIGQUIT leaves the session instead of ending it
	recorder   bool          // a flight recorder: it is left, not ended, also if the output fails
	leaving    atomic.Bool
	newImages  func()                       // is called when there are new images; must not block
	panicked   atomic.Pointer[panics.Error] // in one of its goroutines
}

// newSupervisor returns the supervisor of a run, and a function that stops catching signals.
func newSupervisor(ctx context.Context, cfg *Config) (*supervisor, func()) {
	s := &supervisor{ctx: ctx, cfg: cfg, messages: newMessenger(cfg), ends: make(chan struct{}, 1), newImages: func() {}}
	s.systemCommands = &systemCommands{stdout: cfg.output(), messages: s.messages}
	if cfg.JSON || cfg.Collector != nil {
		s.systemCommands.stdout = os.Stderr
	}
	signals, release := catchSignals()
	s.signals = signals
	return s, release
}

// abandon is the number of signals after which nothing is waited for.
const abandon = 2

// errAbandoned is the error of a session that was abandoned in this way.
var errAbandoned = errors.New("broken off: output and end probes may be incomplete")

// end requests the session's end. It may be called from anywhere, repeatedly.
func (s *supervisor) end() {
	select {
	case s.ends <- struct{}{}:
	default:
	}
}

// outputFailed is called by the reader when writing has failed. If the other end of a
// pipe was closed, it is no error, and the session only ends.
func (s *supervisor) outputFailed(err error) {
	if !errors.Is(err, unix.EPIPE) {
		s.messages.error("writing the output: " + err.Error())
	}
	if s.recorder {
		s.leave()
		return
	}
	s.end()
}

// leave requests that the session continue without this process.
func (s *supervisor) leave() {
	s.leaving.Store(true)
	s.end()
}

// message handles a message from the kernel side.
func (s *supervisor) message(m message) {
	switch m.kind {
	case msgExit:
		s.end()
		return
	case msgImages:
		s.newImages()
		return
	}
	s.messages.message(m)
}

// await waits for done, and reports false if the user has interrupted it.
func (s *supervisor) await(done <-chan struct{}) bool {
	for {
		if s.caught >= abandon {
			return false
		}
		select {
		case <-done:
			return true
		case sig := <-s.signals:
			s.signal(sig)
		}
	}
}

func (s *supervisor) signal(sig os.Signal) {
	if sig == unix.SIGQUIT && s.detachable {
		s.leave()
		return
	}
	s.caught++
	s.end()
	// The terminal sends its SIGINT and SIGQUIT to the command as well.
	if s.command != nil && (sig == unix.SIGTERM || sig == unix.SIGHUP) {
		s.command.signal(sig)
	}
}

// waitForEnd waits until something ends the session, which runs; gone is closed when the kernel side is
// gone. The timeout counts from here: what loading and arming took is not the script's time.
func (s *supervisor) waitForEnd(gone <-chan struct{}) {
	var commandDone <-chan struct{}
	var timeout <-chan time.Time
	if s.cfg.Timeout > 0 {
		timeout = time.After(s.cfg.Timeout)
	}
	if s.command != nil {
		commandDone = s.command.done
	}
	select {
	case <-s.ends:
	case <-gone:
	case <-commandDone:
	case <-timeout:
	case <-s.ctx.Done():
	case sig := <-s.signals:
		s.signal(sig)
	}
}

// do runs f while signals are handled. It reports false if the user has interrupted it.
func (s *supervisor) do(f func()) bool {
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		defer panics.Catch(&err)
		f()
	}()
	if !s.await(done) {
		return false
	}
	panics.Rethrow(err)
	return true
}

// background runs f in a goroutine. A panic in it ends the session, and is the session's error.
func (s *supervisor) background(f func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				s.panicked.CompareAndSwap(nil, panics.Of(p))
				s.end()
			}
		}()
		f()
	}()
}

// waitForCommands waits for commands that are still running, once the probes are gone, and
// says how that of -c ended. It reports whether that went well.
func (s *supervisor) waitForCommands() bool {
	if s.caught < abandon {
		s.do(s.systemCommands.wait.Wait)
	}
	if s.command == nil {
		return true
	}
	select {
	case <-s.command.done:
	default:
		s.messages.info("the session has ended; waiting for the command of -c")
		if !s.await(s.command.done) {
			s.command.signal(syscall.SIGTERM)
			return false
		}
	}
	if how := s.command.failure(); how != "" && s.caught == 0 && s.command.hold == nil {
		s.messages.warning("%s", how)
		return false
	}
	return true
}

// verbose reports what is being done.
func (s *supervisor) verbose(format string, args ...any) {
	if s.cfg.Verbose > 1 {
		s.messages.info(format, args...)
	}
}
