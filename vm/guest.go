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
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/panics"
)

// session is the host's side of a guest, from its boot to the end of its command.
type session struct {
	*machine
	cfg   *Config
	limit time.Duration // for how long the guest may be silent
	watch *watch

	words   chan string // what init.sh and the command script say on the control port; closed when the guest has hung up
	copied  chan copied // an output stream has ended
	streams int         // output streams that have not

	up       bool   // qemu
	reached  bool   // the init, by the kernel
	group    string // the command's process group, once it has started
	exited   bool   // the command
	status   int    // of its exit
	signaled bool   // the command, by the user
	asked    bool   // the guest, whether it lives, and it has said nothing since
	worried  bool   // and that has been told
}

// copied is how the copying of an output stream ended.
type copied struct {
	complete bool // with the marker, not with the guest
	err      error
}

// newSession follows a machine that has just been started. limit is for how long its kernel may be on its way to the init.
func newSession(m *machine, cfg *Config, limit time.Duration) *session {
	s := &session{
		machine: m,
		cfg:     cfg,
		limit:   limit,
		watch:   newWatch(m.qemu.cmd.Process.Pid, cfg.patience.tick),
		words:   make(chan string),
		copied:  make(chan copied, 2),
	}
	go s.listen()
	s.tell("hello")
	return s
}

// listen passes on what is said on the control port.
func (s *session) listen() {
	defer close(s.words)
	for lines := bufio.NewScanner(s.conns["control"]); lines.Scan(); {
		s.watch.signs.Add(1)
		s.words <- lines.Text()
	}
}

// tell writes a line to the control port. That a guest has died is noticed elsewhere.
func (s *session) tell(line string) {
	fmt.Fprintln(s.conns["control"], line)
}

// start waits until the command starts, or fails to. None of its streams has been touched until then.
func (s *session) start(ctx context.Context) error {
	return s.until(ctx, func() bool { return s.group != "" || s.exited })
}

// run passes on the command's streams until it has ended and its output is complete, or there is a reason not to wait for that.
// Nothing of the VM is left then, and all that it has said has been written.
func (s *session) run(ctx context.Context, marker string) (int, error) {
	go func() {
		io.Copy(s.conns["stdin"], s.cfg.Stdin)
		s.conns["stdin"].CloseWrite()
	}()
	for name, w := range map[string]io.Writer{"stdout": s.cfg.Stdout, "stderr": s.cfg.Stderr} {
		s.streams++
		go func() {
			var c copied
			defer func() { s.copied <- c }()
			defer panics.Catch(&c.err)
			c.complete, c.err = copyUntil(w, counted{s.conns[name], s.watch}, []byte(marker))
		}()
	}
	err := s.until(ctx, func() bool { return s.exited && s.streams == 0 })
	if err = s.end(err); err != nil {
		return -1, err
	}
	return s.status, nil
}

// end ends the VM, writes what is still there of its streams, and completes the error.
func (s *session) end(err error) error {
	s.watch.Stop()
	s.machine.end()
	for range s.words {
	}
	for ; s.streams > 0; s.streams-- {
		<-s.copied
	}
	s.hangUp()
	var dead *GuestError
	if errors.As(err, &dead) {
		dead.Console = s.log.lines()
		dead.explain(s.machine)
		dead.early = dead.Err == nil && (!s.reached || s.monitor.reason() == internalError)
	}
	return err
}

// counted is a stream of which each part is a sign of life.
type counted struct {
	io.Reader
	watch *watch
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.watch.signs.Add(1)
	return n, err
}

// until takes what happens until something has come true.
func (s *session) until(ctx context.Context, come func() bool) error {
	for !come() {
		if err := s.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next takes the next thing that happens. The error says that the guest has died, or why it is to be ended.
func (s *session) next(ctx context.Context) error {
	select {
	case line, ok := <-s.words:
		if !ok {
			return s.died()
		}
		return s.hear(line)
	case c := <-s.copied:
		s.streams--
		if c.err == nil && !c.complete {
			return s.died()
		}
		return c.err
	case <-s.monitor.stopped:
		return &GuestError{Reason: "qemu stopped it, " + s.monitor.reason()}
	case <-s.fsd.exited:
		return s.orphaned()
	case <-ctx.Done():
		return &GuestError{Reason: "ended: " + ctx.Err().Error(), Err: ctx.Err()}
	case sig := <-s.cfg.Interrupt:
		if s.group == "" || s.signaled {
			return ErrInterrupted
		}
		s.signaled = true
		s.tell(strings.TrimPrefix(signalName(sig), "SIG") + " " + s.group)
		return nil
	case <-s.watch.C:
		s.watch.tick()
		return s.tick()
	}
}

// hear obeys a line on the control port.
func (s *session) hear(line string) error {
	s.worry(false)
	word, value, _ := strings.Cut(line, " ")
	switch word {
	case "init":
		s.reached = true
		s.limit = s.cfg.patience.answer + 10*s.watch.total
	case "started":
		s.group = value
		s.cfg.Progress("")
	case "exit":
		status, err := strconv.Atoi(value)
		s.status, s.exited = status, true
		return errors.Wrap(err, "micro-VM: exit status")
	}
	return nil
}

// died waits for qemu to end, too, so that all that it has to say is there.
func (s *session) died() error {
	s.qemu.ends(s.cfg.patience.exit)
	return &GuestError{}
}

// orphaned says that virtiofsd has ended, unless it did so because qemu has.
func (s *session) orphaned() error {
	if s.qemu.ends(s.cfg.patience.exit) {
		return &GuestError{}
	}
	return &GuestError{Reason: "virtiofsd, which serves the host's files, has ended: " + strings.TrimSpace(string(s.fsd.stderr))}
}

// signalName returns the name that kill(1) knows a signal by.
func signalName(sig os.Signal) string {
	if number, ok := sig.(syscall.Signal); ok {
		return unix.SignalName(number)
	}
	return "SIGINT"
}
