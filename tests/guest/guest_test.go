// SPDX-License-Identifier: GPL-2.0-or-later

package guest

import "testing"

// The first logged line of a skipped test is the reason.
func TestMessage(t *testing.T) {
	log := "=== CONT  TestGuest/debuginfo\n    cmd.go:380: no debuginfo: install it\n    testscript.go:609: WORK=$WORK\n        PATH=/bin\n"
	if got, want := message(log), "no debuginfo: install it"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := message("=== RUN   TestGuest/empty\n"); got != "" {
		t.Errorf("%q of a test that has said nothing", got)
	}
}
