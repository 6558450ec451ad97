// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"testing"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/manifest"
)

// A histogram is one record, which must fit into one sub-buffer.
func TestSubbufFor(t *testing.T) {
	for high, want := range map[int64]int{10: subbufBytes, 32000: subbufBytes, 33000: 2 * subbufBytes, 65533: 4 * subbufBytes} {
		m := &manifest.Manifest{Hists: []manifest.Hist{{Linear: true, High: high, Interval: 1}}}
		if got := subbufFor(m); got != want {
			t.Errorf("up to %d: %d bytes, not %d", high, got, want)
		}
	}
}

// Errors due to lack of memory or to resources in use are retried; refusals of the kernel are not.
func TestRetry(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []error
		calls   int
		want    error
	}{
		{"at once", []error{nil}, 1, nil},
		{"memory is short", []error{unix.ENOMEM, errors.WithStack(unix.ENOMEM), nil}, 3, nil},
		{"in use", []error{unix.EAGAIN, unix.EBUSY, unix.EINTR, nil}, 4, nil},
		{"refused", []error{unix.EPERM, nil}, 1, unix.EPERM},
	} {
		calls := 0
		err := retry(time.Minute, func() error {
			calls++
			return c.answers[calls-1]
		})
		if calls != c.calls || !errors.Is(err, c.want) {
			t.Errorf("%s: %d calls, %v", c.name, calls, err)
		}
	}
	if err := retry(0, func() error { return unix.ENOMEM }); !errors.Is(err, unix.ENOMEM) {
		t.Errorf("without patience: %v", err)
	}
}
