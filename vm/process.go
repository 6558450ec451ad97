// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// childAttributes makes a child end with the thread that starts it, and protects it from the terminal's
// Ctrl-C.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// process is a running child.
type process struct {
	cmd    *exec.Cmd
	stderr tailBuffer
	exited chan struct{} // closed when the child has been waited for
}

// newProcess prepares the start of a program with files as its descriptors 3, 4, ….
func newProcess(stdout *console, files []*os.File, name string, args ...string) *process {
	p := &process{cmd: exec.Command(name, args...), exited: make(chan struct{})}
	if stdout != nil {
		p.cmd.Stdout = stdout
	}
	p.cmd.Stderr = &p.stderr
	p.cmd.ExtraFiles = files
	p.cmd.SysProcAttr = childAttributes()
	p.cmd.WaitDelay = time.Second // for output of its own children
	return p
}

// start starts the program from the calling thread, which must live as long as the program.
func (p *process) start() error {
	if err := p.cmd.Start(); err != nil {
		return errors.Wrap(err, p.cmd.Path)
	}
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	return nil
}

// kill ends the child, if it still runs, and reports whether it has ended: it has not if it is stuck in
// the host's kernel.
func (p *process) kill() bool {
	p.cmd.Process.Kill()
	return p.ends(10 * time.Second)
}

// ends reports whether the child ends by itself within a time.
func (p *process) ends(within time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(within):
		return false
	}
}

// tailBuffer keeps the end of a child's standard error. It may be read when the child has exited.
type tailBuffer []byte

func (b *tailBuffer) Write(p []byte) (int, error) {
	const keep = 4 << 10
	*b = append(*b, p...)
	if n := len(*b); n > keep {
		*b = append([]byte(nil), (*b)[n-keep:]...)
	}
	return len(p), nil
}

// socketPair returns two connected sockets: one for this process, one for a child.
func socketPair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, errors.Wrap(err, "socketpair")
	}
	ours := os.NewFile(uintptr(fds[0]), "vm")
	defer ours.Close()
	theirs := os.NewFile(uintptr(fds[1]), "vm")
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, errors.Wrap(err, "socketpair")
	}
	return conn.(*net.UnixConn), theirs, nil
}
