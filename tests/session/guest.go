// SPDX-License-Identifier: GPL-2.0-or-later

package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gostap/tests/guest"
)

// formVar selects the short or the long form of a test.
const formVar = "GOSTAP_TORTURE"

// Long is set for the long form.
var Long = os.Getenv(formVar) == "long"

// Choose returns the short form's value or the long one's.
func Choose[T any](short, longer T) T {
	if Long {
		return longer
	}
	return short
}

// selfChecking reports whether a kernel is one of tests/debug-kernel: it has KASAN or similar checks,
// and is several times slower.
func selfChecking(release string) bool { return strings.Contains(release, "-gostap-") }

// fewer is the divisor of the long form's repetitions on a kernel with such checks: all of them would
// take well over an hour.
const fewer = 3

// Times is Choose for the number of repetitions on a kernel, which may be the long form's divided by
// fewer.
func Times(release string, short, longer int) int {
	if Long && selfChecking(release) {
		return max(longer/fewer, short)
	}
	return Choose(short, longer)
}

// TimesHere is Times for the running kernel.
func TimesHere(short, longer int) int {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		panic(err)
	}
	return Times(unix.ByteSliceToString(name.Release[:]), short, longer)
}

// InGuest runs the calling package's TestGuest on a kernel, in the same form; only is a pattern for its
// subtests.
func InGuest(t *testing.T, release, dir, only string) {
	timeout := Choose(15*time.Minute, time.Hour)
	if selfChecking(release) {
		timeout *= 4
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
