// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/consumer"
)

// A session of -F with -o is run by another process, `gostap run --background`,
// which goes on when this one has seen that it started.

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
	args := append([]string{"run", "--background", "--script", cfg.Script, "-o", r.out.file, "-S", r.out.rotate},
		r.arguments(cfg.NoWarnings, cfg.Verbose)...)
	cmd := exec.Command(self, append(args, "--", cfg.Module)...)
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

// toBackground says that the session has been started, and gives up the terminal:
// what the session has to say goes on in a file beside its output.
func (r *runOptions) toBackground() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	log, err := os.Create(strftime(r.out.file, time.Now()) + ".log")
	if err != nil {
		fmt.Fprintf(os.Stderr, "gostap: %v; what the session has to say is not kept\n", err)
		log = null
	}
	defer log.Close()
	for fd, file := range []*os.File{null, null, log} {
		unix.Dup2(int(file.Fd()), fd)
	}
	unix.Write(startedFd, []byte{'\n'})
	unix.Close(startedFd)
}
