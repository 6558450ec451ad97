// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"gostap/internal/panics"
)

// A statusLine says on a terminal what gostap waits for, and for how long by now.
// It is shown when nothing else has been for a while, and goes when something is.
// A nil one is for those who don't look on a terminal.
type statusLine struct {
	terminal *os.File
	done     chan struct{}
	keeper   panics.Group

	mu     sync.Mutex
	what   string
	since  time.Time
	last   time.Time     // when something else was shown
	after  time.Duration // how long that is to be ago
	shown  bool
	inLine bool // what was shown has not ended its line
}

// newStatusLine returns a status line on standard error.
func newStatusLine() *statusLine {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	l := &statusLine{terminal: os.Stderr, done: make(chan struct{})}
	l.keeper.Go(l.keep)
	return l
}

func (l *statusLine) keep() {
	for tick := time.NewTicker(250 * time.Millisecond); ; {
		select {
		case now := <-tick.C:
			l.draw(now)
		case <-l.done:
			tick.Stop()
			return
		}
	}
}

// say sets what there is to say once nothing has been shown for so long, "" for nothing.
func (l *statusLine) say(what string, after time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.what, l.after, l.since = what, after, time.Now()
	l.last = l.since
}

// close takes the line away for good.
func (l *statusLine) close() {
	if l == nil {
		return
	}
	l.say("", 0)
	close(l.done)
	l.keeper.Wait()
}

func (l *statusLine) draw(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what == "" || l.inLine || now.Sub(l.last) < l.after {
		return
	}
	text := []rune(fmt.Sprintf("%s … %.0f s", l.what, now.Sub(l.since).Seconds()))
	if width, _, err := term.GetSize(int(l.terminal.Fd())); err == nil && width > 0 && len(text) >= width {
		text = text[:width-1]
	}
	fmt.Fprintf(l.terminal, "\r\x1b[K%s", string(text))
	l.shown = true
}

func (l *statusLine) erase() {
	if l.shown {
		fmt.Fprint(l.terminal, "\r\x1b[K")
		l.shown = false
	}
}

// beside returns a writer to w for which the line goes.
func (l *statusLine) beside(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return besideStatus{l, w}
}

type besideStatus struct {
	*statusLine
	w io.Writer
}

func (b besideStatus) Write(p []byte) (int, error) {
	b.mu.Lock()
	b.erase()
	b.last, b.inLine = time.Now(), !bytes.HasSuffix(p, []byte("\n"))
	b.mu.Unlock()
	return b.w.Write(p)
}
