// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"fmt"
	"sync"
)

// A tally counts a signal's data to be sent, and those that the receiver has accepted.
type tally struct {
	what string       // the noun for the data in messages
	warn func(string) // is called for the first failure, unless the end is near, which reports all failures

	mu          sync.Mutex
	ending      bool
	there, sent int64
	failed      error // the last error; nil: none
}

func (t *tally) add(n int64) {
	t.mu.Lock()
	t.there += n
	t.mu.Unlock()
}

// done records the outcome of sending n items: the receiver has rejected some of them, for the reason
// given, or err.
func (t *tally) done(n, rejected int64, reason string, err error) {
	if err == nil && rejected > 0 {
		err = fmt.Errorf("the receiver has rejected %d: %s", rejected, reason)
	}
	t.mu.Lock()
	first := err != nil && t.failed == nil && !t.ending
	if err != nil {
		t.failed = err
	}
	if err == nil || rejected > 0 {
		t.sent += n - rejected
	}
	t.mu.Unlock()
	if first {
		t.warn(fmt.Sprintf("%s: %v", t.what, err))
	}
}

// end suppresses warnings from now on, as missing will report failures.
func (t *tally) end() {
	t.mu.Lock()
	t.ending = true
	t.mu.Unlock()
}

// missing describes the data that have not been sent; "" if all have been.
func (t *tally) missing() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent == t.there {
		return ""
	}
	return fmt.Sprintf("%d of %d %s", t.there-t.sent, t.there, t.what)
}
