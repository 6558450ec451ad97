// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// session is the host's side of a command that runs in a guest.
type session struct {
	m       *machine
	started chan string // the command's process group
	exit    chan int    // its status; closed when the guest has hung up
	copied  chan copied // an output stream has ended
	running int         // output streams that have not
}

// copied is how the copying of an output stream ended.
type copied struct {
	complete bool // with the marker, not with the guest
	err      error
}

// newSession lets the guest run its command and starts to pass on its streams.
func newSession(m *machine, cfg *Config, marker []byte) *session {
	s := &session{m: m, started: make(chan string, 1), exit: make(chan int, 1), copied: make(chan copied, 2), running: 2}
	go func() {
		io.Copy(m.conns["stdin"], cfg.Stdin)
		m.conns["stdin"].CloseWrite()
	}()
	for name, w := range map[string]io.Writer{"stdout": cfg.Stdout, "stderr": cfg.Stderr} {
		go func() {
			complete, err := copyUntil(w, m.conns[name], marker)
			s.copied <- copied{complete, err}
		}()
	}
	go s.listen()
	s.tell("hello")
	return s
}

// listen reads what init.sh and the command script say on the control port.
func (s *session) listen() {
	defer close(s.exit)
	lines := bufio.NewScanner(s.m.conns["control"])
	for lines.Scan() {
		word, value, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "started":
			s.started <- value
		case "exit":
			if status, err := strconv.Atoi(value); err == nil {
				s.exit <- status
			}
		}
	}
}

// tell writes a line to the control port. That a guest has died is noticed elsewhere.
func (s *session) tell(line string) {
	fmt.Fprintln(s.m.conns["control"], line)
}

// wait returns when the command has ended and its output is complete, or when there is a reason not to wait for that.
// The machine may run on.
func (s *session) wait(ctx context.Context, interrupt <-chan os.Signal) (int, error) {
	var group string
	status, interrupted := -1, false
	exit := s.exit // nil when it has been read
	for exit != nil || s.running > 0 {
		select {
		case group = <-s.started:
		case value, ok := <-exit:
			if !ok {
				<-s.m.exited
				return -1, &GuestError{}
			}
			status, exit = value, nil
		case c := <-s.copied:
			s.running--
			if c.err != nil {
				return -1, c.err
			}
			if !c.complete {
				<-s.m.exited
				return -1, &GuestError{}
			}
		case <-ctx.Done():
			return -1, &GuestError{Reason: "ended: " + ctx.Err().Error(), Err: ctx.Err()}
		case sig := <-interrupt:
			if group == "" || interrupted {
				return -1, ErrInterrupted
			}
			interrupted = true
			s.tell(strings.TrimPrefix(signalName(sig), "SIG") + " " + group)
		}
	}
	return status, nil
}

// drain waits for the output streams to end, after the machine has.
func (s *session) drain() {
	for ; s.running > 0; s.running-- {
		<-s.copied
	}
	s.m.hangUp()
}

// signalName returns the name that kill(1) knows a signal by.
func signalName(sig os.Signal) string {
	if number, ok := sig.(syscall.Signal); ok {
		return unix.SignalName(number)
	}
	return "SIGINT"
}
