// SPDX-License-Identifier: GPL-2.0-or-later

package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"gostap/tests/guest"
)

// formVar chooses between the short form of a test and the long one.
const formVar = "GOSTAP_TORTURE"

// Long says whether to take the time that it takes.
var Long = os.Getenv(formVar) == "long"

// Choose returns the short form's value or the long one's.
func Choose[T any](short, longer T) T {
	if Long {
		return longer
	}
	return short
}

// InGuest runs the calling package's TestGuest on a kernel, in the same form; only is a pattern for its subtests.
func InGuest(t *testing.T, release, dir, only string) {
	timeout := Choose(15*time.Minute, time.Hour)
	if strings.Contains(release, "-gostap-") {
		timeout *= 4 // it checks itself, which costs that
	}
	guest.Run(t, guest.Config{
		Release: release,
		Dir:     dir,
		Test:    "TestGuest",
		Run:     only,
		Env:     []string{formVar + "=" + os.Getenv(formVar)},
		Timeout: timeout,
	})
}
