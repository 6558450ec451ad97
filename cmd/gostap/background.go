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
// which goes on when this one has seen that it started; a bundle runs itself again.

// startedFd is where the process in the background says that it has started.
const startedFd = 3

// inBackground starts a session in the background, and prints the number of its
// process when it runs.
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
	// Not to its end: commands of system() may have the other end, too.
	if n, _ := started.Read(make([]byte, 1)); n > 0 {
		_, err := fmt.Println(cmd.Process.Pid)
		return err
	}
	// It has ended already, and said why, or the script was that short.
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return errors.WithStack(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return exitCode(max(code, 1))
	}
	return nil
}

// A backgroundLog takes what a session in the background has to say: until it has been started on the terminal,
// then in a file, which is there once something has been said.
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

// toBackground says that the session has been started, and gives up the terminal:
// what the session has to say goes on in a file beside its output.
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
