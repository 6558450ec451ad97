// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestGuestSignals: the first SIGTERM ends the session with all its output, the second at once,
// even while nobody reads the output.
func TestGuestSignals(t *testing.T) {
	module := guestModule(t)
	kill := func(after time.Duration) {
		time.Sleep(after)
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}
	var out bytes.Buffer
	go func() {
		awaitRunning()
		kill(time.Second)
	}()
	result, err := Run(context.Background(), Config{Module: module, Output: &out, Stderr: io.Discard})
	if err != nil || result.ExitCode != 0 || !strings.HasSuffix(out.String(), "after\n") {
		t.Errorf("exit code %d, %v, %.100q", result.ExitCode, err, out.String())
	}
	gone(t)

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		awaitFull(r)
		kill(time.Second)
		kill(time.Second)
	}()
	cfg := Config{Module: module, Command: fmt.Sprintf(readOne, 1<<30), Output: w, Stderr: io.Discard}
	result, err = Run(context.Background(), cfg)
	if result.ExitCode != 1 || !errors.Is(err, errAbandoned) {
		t.Errorf("exit code %d, %v", result.ExitCode, err)
	}
	gone(t)
}

// awaitRunning waits until a session is running: one that is told to end before does nothing.
func awaitRunning() {
	for {
		sessions, err := Sessions()
		if err != nil || slices.ContainsFunc(sessions, func(s SessionInfo) bool { return s.State == stateNames[stateRunning] }) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// awaitFull waits until a pipe that nobody reads is full. The number of bytes depends on the sizes of
// the writes, as each takes a page.
func awaitFull(r *os.File) {
	last, since := 0, time.Now()
	for last == 0 || time.Since(since) < 2*time.Second {
		unread, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		if err != nil {
			return
		}
		if unread != last {
			last, since = unread, time.Now()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestGuestClosedPipe: `gostap … | head -1` ends.
func TestGuestClosedPipe(t *testing.T) {
	module := guestModule(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		r.Read(make([]byte, 6))
		r.Close()
	}()
	var say bytes.Buffer
	go func() {
		for range 20 {
			time.Sleep(100 * time.Millisecond)
			os.ReadFile("/proc/uptime")
		}
	}()
	result, err := Run(context.Background(), Config{Module: module, Output: w, Stderr: &say})
	if err != nil || result.ExitCode != 0 || strings.Contains(say.String(), "ERROR") {
		t.Errorf("exit code %d, %v, %s", result.ExitCode, err, say.String())
	}
	gone(t)
}
