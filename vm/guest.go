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

// guest is the host's side of a VM from its boot to the end of its command.
type guest struct {
	*machine
	cfg   *Config
	limit time.Duration // the time for which the guest may be silent
	watch *watch

	lines   chan string     // lines from init.sh and the command script on the control port; closed at its end
	copied  chan copyResult // sent at the end of an output stream
	streams int             // number of output streams that have not ended

	up          bool   // qemu has started
	reached     bool   // the kernel has reached its init
	group       string // the command's process group, once it has started
	exited      bool   // the command has exited
	status      int    // its exit status
	signaled    bool   // the user has sent a signal to the command
	pinged      bool   // the guest has been pinged and has been silent since
	silenceTold bool   // its silence has been reported
	forgetting  bool   // the guest is dropping its caches
}

// copyResult is the result of copying an output stream.
type copyResult struct {
	complete bool // it ended with the marker, not with the guest
	err      error
}

// newGuest follows a machine that has just been started. limit is the time that its kernel has to reach
// its init.
func newGuest(m *machine, cfg *Config, limit time.Duration) *guest {
	g := &guest{
		machine: m,
		cfg:     cfg,
		limit:   limit,
		watch:   newWatch(m.qemu.cmd.Process.Pid, cfg.patience.tick),
		lines:   make(chan string),
		copied:  make(chan copyResult, 2),
	}
	go g.listen()
	g.send("hello")
	return g
}

// listen forwards the lines of the control port to the channel.
func (g *guest) listen() {
	defer close(g.lines)
	for lines := bufio.NewScanner(g.conns["control"]); lines.Scan(); {
		g.watch.signs.Add(1)
		g.lines <- lines.Text()
	}
}

// send writes a line to the control port. Errors are ignored: a guest's death is detected elsewhere.
func (g *guest) send(line string) {
	fmt.Fprintln(g.conns["control"], line)
}

// start waits until the command has started, or has failed to. Its streams are not used before.
func (g *guest) start(ctx context.Context) error {
	return g.waitFor(ctx, func() bool { return g.group != "" || g.exited })
}

// run copies the command's streams until it has ended and its output is complete, or an error occurs.
// On return the VM has ended, and all of its output has been written.
func (g *guest) run(ctx context.Context, marker string) (int, error) {
	go func() {
		io.Copy(g.conns["stdin"], g.cfg.Stdin)
		g.conns["stdin"].CloseWrite()
	}()
	for name, w := range map[string]io.Writer{"stdout": g.cfg.Stdout, "stderr": g.cfg.Stderr} {
		g.streams++
		go func() {
			var c copyResult
			defer func() { g.copied <- c }()
			defer panics.Catch(&c.err)
			c.complete, c.err = copyUntil(w, watchedReader{g.conns[name], g.watch}, []byte(marker))
		}()
	}
	err := g.waitFor(ctx, func() bool { return g.exited && g.streams == 0 })
	if err = g.end(err); err != nil {
		return -1, err
	}
	return g.status, nil
}

// end ends the VM, writes the rest of its streams, and completes the error.
func (g *guest) end(err error) error {
	g.watch.Stop()
	g.machine.end()
	for range g.lines {
	}
	for ; g.streams > 0; g.streams-- {
		<-g.copied
	}
	g.hangUp()
	var dead *GuestError
	if errors.As(err, &dead) {
		dead.Console = g.log.lines()
		dead.explain(g.machine)
		dead.early = dead.Err == nil && (!g.reached || g.monitor.reason() == internalError)
	}
	return err
}

// watchedReader is a stream of which each read counts as a sign of life.
type watchedReader struct {
	io.Reader
	watch *watch
}

func (c watchedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.watch.signs.Add(1)
	return n, err
}

// waitFor handles events until a condition holds.
func (g *guest) waitFor(ctx context.Context, holds func() bool) error {
	for !holds() {
		if err := g.handleNext(ctx); err != nil {
			return err
		}
	}
	return nil
}

// handleNext handles the next event. It returns an error if the guest has died or must be ended.
func (g *guest) handleNext(ctx context.Context) error {
	select {
	case line, ok := <-g.lines:
		if !ok {
			return g.died()
		}
		return g.handleLine(line)
	case c := <-g.copied:
		g.streams--
		if c.err == nil && !c.complete {
			return g.died()
		}
		return c.err
	case <-g.monitor.stopped:
		return &GuestError{Reason: "qemu stopped it, " + g.monitor.reason()}
	case <-g.fsd.exited:
		return g.orphaned()
	case <-ctx.Done():
		return &GuestError{Reason: "ended: " + ctx.Err().Error(), Err: ctx.Err()}
	case sig := <-g.cfg.Interrupt:
		if g.group == "" || g.signaled {
			return ErrInterrupted
		}
		g.signaled = true
		g.send(strings.TrimPrefix(signalName(sig), "SIG") + " " + g.group)
		return nil
	case <-g.watch.C:
		g.watch.tick()
		g.forget()
		return g.tick()
	}
}

// handleLine handles a line from the control port.
func (g *guest) handleLine(line string) error {
	g.reportSilence(false)
	word, value, _ := strings.Cut(line, " ")
	switch word {
	case "init":
		g.reached = true
		g.limit = g.cfg.patience.answer + 10*g.watch.total
	case "forgotten":
		g.forgetting = false
	case "started":
		g.group = value
		g.cfg.Progress("")
	case "exit":
		status, err := strconv.Atoi(value)
		g.status, g.exited = status, true
		return errors.Wrap(err, "micro-VM: exit status")
	}
	return nil
}

// died waits for qemu to end, so that all of its messages are available.
func (g *guest) died() error {
	g.qemu.ends(g.cfg.patience.exit)
	return &GuestError{}
}

// orphaned returns the error that virtiofsd has ended, unless it did so because qemu has.
func (g *guest) orphaned() error {
	if g.qemu.ends(g.cfg.patience.exit) {
		return &GuestError{}
	}
	return &GuestError{Reason: "virtiofsd, which serves the host's files, has ended: " + strings.TrimSpace(string(g.fsd.stderr))}
}

// signalName returns a signal's name for kill(1).
func signalName(sig os.Signal) string {
	if number, ok := sig.(syscall.Signal); ok {
		return unix.SignalName(number)
	}
	return "SIGINT"
}
