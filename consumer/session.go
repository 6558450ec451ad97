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

// A session is what is common to a module in the kernel and a program of the host
// runtime: why it ends, and who is waited for meanwhile.
type session struct {
	ctx     context.Context
	cfg     *Config
	say     *messenger
	out     *output
	systems *systems
	command *command // nil without -c
	signals <-chan os.Signal
	timeout <-chan time.Time // nil without -T

	ends       chan struct{} // has something in it once the session is to end, or to be left
	caught     int           // signals that end it
	detachable bool          // SIGQUIT leaves the session instead of ending it
	recorder   bool          // it outlives us: also an output that fails only leaves it
	leaving    atomic.Bool
	panicked   atomic.Pointer[panics.Error] // in one of its goroutines
}

// abandon is how many signals it takes to leave without waiting for anything.
const abandon = 2

// errAbandoned is how a session ends in which nothing is waited for any more.
var errAbandoned = errors.New("broken off: output and end probes may be incomplete")

// end asks for the session's end. It may be called from anywhere, repeatedly.
func (s *session) end() {
	select {
	case s.ends <- struct{}{}:
	default:
	}
}

// outputFailed is told by the reader that nothing more can be written. That the
// other end of a pipe has closed is no error, only a reason to end.
func (s *session) outputFailed(err error) {
	if !errors.Is(err, unix.EPIPE) {
		s.say.error("writing the output: " + err.Error())
	}
	if s.recorder {
		s.leave()
		return
	}
	s.end()
}

// leave asks for the session to go on without us.
func (s *session) leave() {
	s.leaving.Store(true)
	s.end()
}

// message takes a message from the kernel side.
func (s *session) message(m message) {
	if m.kind == msgExit {
		s.end()
		return
	}
	s.say.message(m)
}

// await waits for done, and reports false if the user would not.
func (s *session) await(done <-chan struct{}) bool {
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

func (s *session) signal(sig os.Signal) {
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

// running waits until something ends the session; gone is closed when the other side is.
func (s *session) running(gone <-chan struct{}) {
	var commandDone <-chan struct{}
	if s.command != nil {
		commandDone = s.command.done
	}
	select {
	case <-s.ends:
	case <-gone:
	case <-commandDone:
	case <-s.timeout:
	case <-s.ctx.Done():
	case sig := <-s.signals:
		s.signal(sig)
	}
}

// do runs f beside the signals. It reports false if the user would not wait for it.
func (s *session) do(f func()) bool {
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

// goes runs f in a goroutine. A panic in it ends the session, and is what has come of it.
func (s *session) goes(f func()) {
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

// lastly waits for commands that are still running, once the probes are gone, and
// says how that of -c ended. It reports whether that went well.
func (s *session) lastly() bool {
	if s.caught < abandon {
		s.do(s.systems.wait.Wait)
	}
	if s.command == nil {
		return true
	}
	select {
	case <-s.command.done:
	default:
		s.say.info("the session has ended; waiting for the command of -c")
		if !s.await(s.command.done) {
			s.command.signal(syscall.SIGTERM)
			return false
		}
	}
	if how := s.command.failure(); how != "" && s.caught == 0 && s.command.hold == nil {
		s.say.warning("the command of -c %s", how)
		return false
	}
	return true
}

// verbose says what is being done.
func (s *session) verbose(format string, args ...any) {
	if s.cfg.Verbose > 1 {
		s.say.info(format, args...)
	}
}
