// SPDX-License-Identifier: GPL-2.0-or-later

// Package session runs gostap's sessions inside a guest, for tests that disturb them: it starts and
// ends them, parses their output and losses, and waits for conditions.
package session

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gostap/tests/guest"
)

// A Session is a running gostap.
type Session struct {
	*exec.Cmd
	Out Output
	Err bytes.Buffer
}

// Start starts gostap with these arguments.
func Start(t testing.TB, args ...string) *Session {
	t.Helper()
	return Launch(t, &Session{}, args...)
}

// StartBy is Start with a command that runs gostap: gostap and its arguments are appended to command.
func StartBy(t testing.TB, command []string, args ...string) *Session {
	t.Helper()
	return launch(t, &Session{}, append(append(slices.Clip(command), gostap()), args...))
}

func gostap() string { return filepath.Join(guest.Dir(), "gostap") }

// Launch is Start for a session whose Output has been configured.
func Launch(t testing.TB, s *Session, args ...string) *Session {
	t.Helper()
	return launch(t, s, append([]string{gostap()}, args...))
}

func launch(t testing.TB, s *Session, command []string) *Session {
	t.Helper()
	s.Cmd = exec.Command(command[0], command[1:]...)
	s.Stdout, s.Stderr = &s.Out, &s.Err
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	// End the session if the test fails.
	t.Cleanup(func() { s.Process.Kill() })
	return s
}

// End waits for the process and returns its exit code, -1 if it was killed by a signal.
func (s *Session) End() int {
	s.Wait()
	return s.ProcessState.ExitCode()
}

// Run runs gostap to its end.
func Run(t testing.TB, args ...string) *Session {
	t.Helper()
	s := Start(t, args...)
	s.End()
	return s
}

var lostLine = regexp.MustCompile(`(?m)^WARNING: (\d+) events lost`)

// Lost returns the number of lost records that an ended session has reported.
func (s *Session) Lost() int {
	m := lostLine.FindSubmatch(s.Err.Bytes())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

// Module is the path of a module that the host has built.
func Module(name string) string { return filepath.Join(guest.Dir(), name+".ko") }

// Loaded reports whether a module is loaded.
func Loaded(name string) bool {
	_, err := os.Stat("/sys/module/" + name)
	return err == nil
}

// Removed removes a module that should not be in use any more. It retries while a last handler runs.
func Removed(t testing.TB, name string) {
	t.Helper()
	Await(t, "module "+name+" can be removed", func() bool {
		err := unix.DeleteModule(name, unix.O_NONBLOCK)
		return err == nil || err == unix.ENOENT
	})
}

// Await waits for a condition, and fails after a time limit.
func Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !Within(Choose(2*time.Minute, 10*time.Minute), done) {
		t.Fatalf("waited in vain until %s", what)
	}
}

// Within waits for a condition, and reports whether it became true.
func Within(limit time.Duration, done func() bool) bool {
	for end := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Armed waits until there are probes.
func Armed(t testing.TB) {
	t.Helper()
	Await(t, "probes are armed", func() bool { return Probes(t) != "" })
}

// Gone waits until there are none.
func Gone(t testing.TB) {
	t.Helper()
	Await(t, "the probes are gone", func() bool { return Probes(t) == "" })
}

// Probes is guest.Probes, which must succeed.
func Probes(t testing.TB) string {
	t.Helper()
	list, err := guest.Probes()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Clean fails if the kernel log reports harm, or anything is left in the kernel.
func Clean(t testing.TB) {
	t.Helper()
	if err := guest.Clean(); err != nil {
		t.Error(err)
	}
}
