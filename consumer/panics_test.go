// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"gostap/internal/panics"
)

// once panics at the first write.
func once(what string) writerFunc {
	done := false
	return func(b []byte) (int, error) {
		if !done {
			done = true
			panic(what)
		}
		return len(b), nil
	}
}

// TestHostPanics: a panic while a session runs ends the session, and is its error.
func TestHostPanics(t *testing.T) {
	program := hostModule(t)
	for _, test := range []struct {
		scenario    string
		output, say writerFunc
	}{
		{"wait", once("in the output"), writerFunc(io.Discard.Write)},
		{"flood", once("in the output"), writerFunc(io.Discard.Write)},
		{"error", writerFunc(io.Discard.Write), once("in a message")},
	} {
		t.Run(test.scenario, func(t *testing.T) {
			t.Setenv("GOSTAP_TEST_HOST", test.scenario)
			result, err := RunHost(context.Background(), Config{Module: program, Output: test.output, Stderr: test.say})
			var e *panics.Error
			if !errors.As(err, &e) || result.ExitCode != 1 || !strings.Contains(string(e.Stack), "panics_test.go") {
				t.Errorf("exit code %d, %v", result.ExitCode, err)
			}
		})
	}
}

// TestGuestPanics: a panic while a session runs, in any goroutine, ends the session and unloads the
// module.
func TestGuestPanics(t *testing.T) {
	for what, cfg := range map[string]Config{
		"in the output":  {Output: once("in the output"), Stderr: io.Discard},
		"in a message":   {Output: io.Discard, Stderr: once("in a message")},
		"in the session": {Output: io.Discard, Stderr: io.Discard, Started: func() { panic("in the session") }},
	} {
		cfg.Module, cfg.Timeout = guestModule(t), 10*time.Second
		began := time.Now()
		err := func() (err error) {
			defer panics.Catch(&err)
			_, err = Run(context.Background(), cfg)
			return err
		}()
		var e *panics.Error
		if !errors.As(err, &e) || e.Value != what {
			t.Errorf("%s: %v", what, err)
		}
		t.Logf("%s: over in %s", what, time.Since(began))
		gone(t)
	}
}

// TestSystemPanics: a panic in the goroutine of a system() command is passed on to the goroutine that
// waits for it.
func TestSystemPanics(t *testing.T) {
	s := &systemCommands{messages: &messenger{w: once("in a warning")}}
	s.run("no command has a \x00")
	err := func() (err error) {
		defer panics.Catch(&err)
		s.wait.Wait()
		return nil
	}()
	var e *panics.Error
	if !errors.As(err, &e) || e.Value != "in a warning" {
		t.Error(err)
	}
}
