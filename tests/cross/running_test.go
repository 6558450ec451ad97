// SPDX-License-Identifier: GPL-2.0-or-later

package cross

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"gostap/tests/cross/generate"
	"gostap/tests/session"
)

// A running plan: its session, and the one beside it.
type running struct {
	*testing.T
	context   *generate.Context
	planned   *planned
	meanwhile *meanwhile
	target    *exec.Cmd
	sessions  []*oneSession
}

// A oneSession is a session of a script.
type oneSession struct {
	*running
	*session.Session
	module string
	told   bool // to stop
	code   int
}

// String says what runs, for messages.
func (r *running) String() string { return r.planned.Module + " while " + r.meanwhile.name }

// begin starts the sessions. They end when their target does, if their handlers run: it is a process that waits.
func (r *running) begin() {
	r.target = exec.Command("sleep", "infinity")
	if err := r.target.Start(); err != nil {
		r.Fatal(err)
	}
	r.start(r.planned.Module)
	if r.meanwhile.name == beside {
		r.start(r.planned.Beside)
	}
	if r.meanwhile.starting {
		return
	}
	for _, s := range r.sessions {
		if !session.Within(limit(), func() bool { return s.begun() || s.gone() }) {
			r.Fatalf("%s: it doesn't begin: %s", r, s.Err.String())
		}
	}
}

// start starts a session, by the command that what happens meanwhile puts before it.
func (r *running) start(module string) {
	args := []string{"run", "-x", fmt.Sprint(r.target.Process.Pid), session.Module(module)}
	s := &oneSession{running: r, module: module}
	s.Session = session.StartBy(r, r.meanwhile.as, append(args, r.meanwhile.options...)...)
	r.sessions = append(r.sessions, s)
}

// limit is how long anything may take.
func limit() time.Duration { return session.Choose(time.Minute, 5*time.Minute) }

func (s *oneSession) begun() bool { return bytes.Contains(s.Out.Bytes(), []byte("begun\n")) }

// gone says whether the process has ended, for whatever reason.
func (s *oneSession) gone() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

// stop tells a session to stop, once: to be told again, it would not wait for its end probes.
func (s *oneSession) stop() {
	if !s.told {
		s.Process.Signal(syscall.SIGINT)
	}
	s.told = true
}

// work lets the sessions run until they have printed something of most of their items, or for a while.
func (r *running) work(most time.Duration) {
	s := r.sessions[0]
	session.Within(most, func() bool {
		if r.context.NMI && rand.N(8) == 0 {
			os.WriteFile("/proc/sysrq-trigger", []byte("l"), 0) // an NMI for each processor
		}
		return s.gone() || len(eventLine.FindAll(s.Out.Bytes(), -1)) >= 2*len(r.planned.Items)
	})
}

// end ends the sessions: by their target's end first, which their handlers act on; then by a signal.
func (r *running) end() {
	r.work(session.Choose(time.Second, 3*time.Second))
	r.target.Process.Kill()
	r.target.Wait()
	for _, s := range r.sessions {
		if r.context.Rate != generate.Once || r.context.Name == "error" {
			session.Within(session.Choose(time.Second, 3*time.Second), s.gone)
		}
		s.stop()
		if !session.Within(limit(), s.gone) {
			s.Process.Signal(syscall.SIGABRT) // has it say where it hangs
			session.Within(10*time.Second, s.gone)
			r.Errorf("%s: it doesn't end: %s", r, s.Err.String())
			s.Process.Kill()
		}
		s.code = s.End()
		if s.code < 0 && r.meanwhile.kills {
			s.bury()
		}
	}
}

// bury is the end of a session whose gostap was killed: its probes go by themselves, and its module when it is told to.
func (s *oneSession) bury() {
	session.Removed(s.T, s.module)
}
