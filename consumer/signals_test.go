// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"
)

// A shell script's background job ignores SIGINT, and one under nohup SIGHUP.
func TestIgnoredSignals(t *testing.T) {
	signal.Ignore(unix.SIGINT, unix.SIGHUP)
	defer signal.Reset(unix.SIGINT, unix.SIGHUP)
	caught, release := catchSignals()
	defer release()
	for _, s := range []unix.Signal{unix.SIGHUP, unix.SIGINT} {
		if err := unix.Kill(unix.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	if s := <-caught; s != unix.SIGINT {
		t.Errorf("%v has come, not SIGINT", s)
	}
}
