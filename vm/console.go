// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// consoleLines is the number of the console's last lines in a GuestError: enough for an oops with its
// register dumps.
const consoleLines = 100

// console receives the guest's kernel console, forwards it without the carriage returns of a serial
// line, and keeps the last lines.
type console struct {
	mu   sync.Mutex
	next io.Writer
	tail []string // the last is the line that is being written
}

// Write never fails, so that the guest does not depend on the reader of its log.
func (c *console) Write(p []byte) (int, error) {
	text := bytes.ReplaceAll(p, []byte("\r"), nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		c.next.Write(text)
	}
	lines := strings.Split(string(text), "\n")
	if n := len(c.tail); n > 0 {
		c.tail[n-1] += lines[0]
		lines = lines[1:]
	}
	c.tail = append(c.tail, lines...)
	if n := len(c.tail); n > consoleLines+1 {
		c.tail = append([]string(nil), c.tail[n-consoleLines-1:]...)
	}
	return len(p), nil
}

// lines returns the last lines of the console.
func (c *console) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := append([]string(nil), c.tail...)
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}
