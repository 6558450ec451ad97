// SPDX-License-Identifier: GPL-2.0-or-later

package session

import (
	"bytes"
	"sync"
)

// Output collects a session's output. It can be read while the session runs.
type Output struct {
	WithoutStacks bool // drop lines that begin with a space, which may exceed the guest's memory

	mu         sync.Mutex
	kept, line []byte
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for line := range bytes.Lines(p) {
		if o.line = append(o.line, line...); o.line[len(o.line)-1] != '\n' {
			break
		}
		if !o.WithoutStacks || o.line[0] != ' ' {
			o.kept = append(o.kept, o.line...)
		}
		o.line = o.line[:0]
	}
	return len(p), nil
}

func (o *Output) Bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append(o.kept[:len(o.kept):len(o.kept)], o.line...)
}

func (o *Output) String() string { return string(o.Bytes()) }
