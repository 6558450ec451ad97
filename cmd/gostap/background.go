// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/consumer"
)

// A session of -F with -o is run by another process, `gostap run --background`,
// which continues when this one knows that it has started; a bundle runs itself again.

// startedFd is the file descriptor by which the process in the background reports its start.
const startedFd = 3

// inBackground starts a session in the background, and prints the pid of its
// process.
func (r *runOptions) inBackground(cfg consumer.Config) error {
	self, err := os.Executable()
	if err != nil {
		return errors.WithStack(err)
	}
	started, tell, err := os.Pipe()
	if err != nil {
		return errors.WithStack(err)
	}
	defer started.Close()
	var args []string
	if !r.bundled {
		args = []string{"run"}
	}
	args = append(args, append([]string{"--background", "--script", cfg.Script, "-o", r.out.file, "-S", r.out.rotate},
		r.arguments(cfg.NoWarnings, cfg.Verbose)...)...)
	if r.out.bulk {
		args = append(args, "-b")
	}
	if !r.bundled {
		args = append(args, "--", cfg.Module)
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	cmd.ExtraFiles = []*os.File{tell}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return errors.Wrap(err, "starting the process in the background")
	}
	tell.Close()
	// Not until EOF: commands of system() may have the other end open, too.
	if n, _ := started.Read(make([]byte, 1)); n > 0 {
		_, err := fmt.Println(cmd.Process.Pid)
		return err
	}
	// It has ended already: with an error that it has reported, or because the script is short.
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return errors.WithStack(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return exitCode(max(code, 1))
	}
	return nil
}

// A backgroundLog writes the messages of a session in the background: until its start to the terminal, then to
// a file, which is created with the first message.
type backgroundLog struct {
	mu   sync.Mutex
	name string // of the file; "" until the session has been started
	file *os.File
}

func (l *backgroundLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.name == "" {
		return os.Stderr.Write(text)
	}
	if l.file == nil {
		file, err := os.Create(l.name)
		if err != nil {
			return 0, err
		}
		l.file = file
		unix.Dup2(int(file.Fd()), unix.Stderr)
	}
	return l.file.Write(text)
}

// toBackground reports that the session has started, and closes the terminal: further
// messages go to a file beside the session's output.
func (r *runOptions) toBackground(log *backgroundLog) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	log.mu.Lock()
	log.name = strftime(r.out.file, time.Now()) + ".log"
	log.mu.Unlock()
	for fd := range 3 {
		unix.Dup2(int(null.Fd()), fd)
	}
	unix.Write(startedFd, []byte{'\n'})
	unix.Close(startedFd)
}
