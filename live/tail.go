// SPDX-License-Identifier: GPL-2.0-or-later

package live

import "sync"

// A Tail keeps the end of a script's output.
type Tail struct {
	mu      sync.Mutex
	text    []byte
	written uint64
}

// tailSize is the number of bytes that a Tail keeps.
const tailSize = 64 << 10

// Write never blocks and never fails.
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

// Since returns the output since a position, as far as it is kept, and the next position. The first
// position is 0.
func (t *Tail) Since(position uint64) (text string, next uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(t.written-min(position, t.written), uint64(len(t.text)), tailSize)
	return string(t.text[uint64(len(t.text))-n:]), t.written
}
