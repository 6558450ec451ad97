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

// selfChecking says whether a kernel is one of tests/debug-kernel: it looks for bugs itself, and is some times slower for that.
func selfChecking(release string) bool { return strings.Contains(release, "-gostap-") }

// fewer is by what the long form's repetitions are divided on a kernel that checks itself: all of them would take well over an hour there.
const fewer = 3

// Times is Choose for how often something is repeated on a kernel, which may be the long form's number divided by fewer.
func Times(release string, short, longer int) int {
	if Long && selfChecking(release) {
		return max(longer/fewer, short)
	}
	return Choose(short, longer)
}

// TimesHere is Times for the kernel that runs.
func TimesHere(short, longer int) int {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		panic(err)
	}
	return Times(unix.ByteSliceToString(name.Release[:]), short, longer)
}

// InGuest runs the calling package's TestGuest on a kernel, in the same form; only is a pattern for its subtests.
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
