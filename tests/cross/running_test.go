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

// A running is a planned session that runs, and the session beside it.
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
	told   bool // it has been told to stop
	code   int
}

// String describes the session and the event in messages.
func (r *running) String() string { return r.planned.Module + " while " + r.meanwhile.name }

// begin starts the sessions. They end when their target, a waiting process, does, provided that their
// handlers run.
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

// start starts a session, with the event's command before gostap.
func (r *running) start(module string) {
	args := []string{"run", "-x", fmt.Sprint(r.target.Process.Pid), session.Module(module)}
	s := &oneSession{running: r, module: module}
	s.Session = session.StartBy(r, r.meanwhile.as, append(args, r.meanwhile.options...)...)
	r.sessions = append(r.sessions, s)
}

// limit is the time limit of all steps.
func limit() time.Duration { return session.Choose(time.Minute, 5*time.Minute) }

func (s *oneSession) begun() bool { return bytes.Contains(s.Out.Bytes(), []byte("begun\n")) }

// gone reports whether the process has ended.
func (s *oneSession) gone() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

// stop tells a session to stop, once: a second signal would skip its end probes.
func (s *oneSession) stop() {
	if !s.told {
		s.Process.Signal(syscall.SIGINT)
	}
	s.told = true
}

// work lets the sessions run until most of their items have printed something, or for a while.
func (r *running) work(most time.Duration) {
	s := r.sessions[0]
	session.Within(most, func() bool {
		if r.context.NMI && rand.N(8) == 0 {
			os.WriteFile("/proc/sysrq-trigger", []byte("l"), 0) // an NMI for each processor
		}
		return s.gone() || len(eventLine.FindAll(s.Out.Bytes(), -1)) >= 2*len(r.planned.Items)
	})
}

// end ends the sessions: by the end of their target, which their handlers react to; then by a signal.
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
			s.Process.Signal(syscall.SIGABRT) // prints where it hangs
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

// bury checks the end of a session whose gostap was killed: its probes are removed automatically, its
// module by rmmod.
func (s *oneSession) bury() {
	session.Removed(s.T, s.module)
}
