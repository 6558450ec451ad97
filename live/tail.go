// SPDX-License-Identifier: GPL-2.0-or-later

package live

import "sync"

// A Tail keeps the end of what a script prints, for whoever looks.
type Tail struct {
	mu      sync.Mutex
	text    []byte
	written uint64
}

// tailSize is how many bytes a Tail keeps.
const tailSize = 64 << 10

// Write never waits and never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += uint64(len(p))
	t.text = append(t.text, p...)
	if n := len(t.text) - tailSize; n > tailSize {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(p), nil
}

// Since returns what has been written since that position, or what is left of
// it, and the position to go on from. The first is 0.
func (t *Tail) Since(position uint64) (text string, next uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(t.written-min(position, t.written), uint64(len(t.text)), tailSize)
	return string(t.text[uint64(len(t.text))-n:]), t.written
}
