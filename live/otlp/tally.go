// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"fmt"
	"sync"
)

// A tally counts what there was to send of a signal, and what the receiver has taken.
type tally struct {
	what string       // is counted
	warn func(string) // is told of the first failure, unless all is said at once soon

	mu          sync.Mutex
	ending      bool
	there, sent int64
	failed      error // the last one; nil: none
}

func (t *tally) add(n int64) {
	t.mu.Lock()
	t.there += n
	t.mu.Unlock()
}

// done takes how sending n went, of which the receiver has rejected some for that reason.
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

// end is called when missing is going to be asked.
func (t *tally) end() {
	t.mu.Lock()
	t.ending = true
	t.mu.Unlock()
}

// missing says what has not been sent; "" if all has been.
func (t *tally) missing() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent == t.there {
		return ""
	}
	return fmt.Sprintf("%d of %d %s", t.there-t.sent, t.there, t.what)
}
