// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/pkg/errors"

	"gostap/internal/panics"
)

// A command is the command of -c.
type command struct {
	cmd  *exec.Cmd
	hold *os.File      // writing a byte starts the command; closing it ends the waiting shell; nil when done
	done chan struct{} // closed when it has ended
	err  error         // its result, valid when done is closed
}

// holdScript waits at fd 3 for a byte, and then executes the command. If gostap dies
// before, it ends.
const holdScript = `read -r go <&3 || exit 1; exec 3<&-; exec /bin/sh -c "$1"`

// startCommand starts a shell that waits to execute the command of -c, so that its pid is known.
func startCommand(text string, stdout *os.File) (*command, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer r.Close()
	c := &command{cmd: exec.Command("/bin/sh", "-c", holdScript, "sh", direct(text)), hold: w, done: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = os.Stdin, stdout, os.Stderr
	c.cmd.ExtraFiles = []*os.File{r}
	if err := c.cmd.Start(); err != nil {
		w.Close()
		return nil, errors.Wrap(err, "starting the command of -c")
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

// direct puts exec before a command that is a single program with arguments and
// redirections, so that target() is the program, not the shell.
func direct(text string) string {
	if words := strings.Fields(text); len(words) > 0 && !strings.ContainsAny(strings.ReplaceAll(text, ">&", ""), "&|;(){}`\n") {
		if _, err := exec.LookPath(words[0]); err == nil {
			return "exec " + text
		}
	}
	return text
}

func (c *command) pid() int { return c.cmd.Process.Pid }

// release makes the shell execute the command.
func (c *command) release() {
	c.hold.Write([]byte{'\n'})
	c.hold.Close()
	c.hold = nil
}

// cancel ends the command if it has not been released.
func (c *command) cancel() {
	if c.hold != nil {
		c.hold.Close()
		<-c.done
	}
}

// signal passes a signal on.
func (c *command) signal(s os.Signal) { c.cmd.Process.Signal(s) }

// failure describes, with staprun's messages, how the command has failed, "" if it has succeeded.
func (c *command) failure() string {
	if c.err == nil {
		return ""
	}
	var exit *exec.ExitError
	if errors.As(c.err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return fmt.Sprintf("Child process exited with signal %d (%s)", ws.Signal(), ws.Signal())
		}
		return fmt.Sprintf("Child process exited with status %d", exit.ExitCode())
	}
	return "the command of -c: " + c.err.Error()
}

// systemPatience is how long the output waits for a command of system(), so that
// the command's output comes in its place.
const systemPatience = 2 * time.Second

// systemCommands runs the commands of system().
type systemCommands struct {
	stdout   io.Writer
	messages *messenger
	wait     panics.Group
}

// run runs a command and returns when it has ended, or leaves it in the background if
// it takes longer than systemPatience, as the buffers have to be read meanwhile.
func (s *systemCommands) run(text string) {
	stdout := s.stdout
	if files, ok := stdout.(*Files); ok {
		stdout = files.file()
	}
	ended := make(chan struct{})
	// It is started by another goroutine, so that it does not inherit the priority of the reader's thread.
	s.wait.Go(func() {
		defer close(ended)
		cmd := exec.Command("/bin/sh", "-c", text)
		cmd.Stdout, cmd.Stderr = stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			s.messages.warning("system(%q): %v", text, err)
			return
		}
		cmd.Wait()
	})
	select {
	case <-ended:
	case <-time.After(systemPatience):
	}
}
