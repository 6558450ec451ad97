// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"gostap/internal/panics"
)

// A statusLine says on a terminal what gostap waits for, and for how long by now.
// It is shown when nothing else has been for a while, and goes when something is.
// It is nil where standard error is no terminal.
type statusLine struct {
	terminal  *os.File
	done      chan struct{}
	refresher panics.Group

	mu      sync.Mutex
	what    string
	since   time.Time
	last    time.Time     // when something else was shown
	after   time.Duration // for how long nothing else is to have been shown
	shown   bool
	midLine bool // what was shown has not ended its line
}

// newStatusLine returns a status line on standard error.
func newStatusLine() *statusLine {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	l := &statusLine{terminal: os.Stderr, done: make(chan struct{})}
	l.refresher.Go(l.refresh)
	return l
}

func (l *statusLine) refresh() {
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

// show sets what is shown once nothing has been shown for so long, "" for nothing.
func (l *statusLine) show(what string, after time.Duration) {
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
	l.show("", 0)
	close(l.done)
	l.refresher.Wait()
}

func (l *statusLine) draw(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what == "" || l.midLine || now.Sub(l.last) < l.after {
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

// wrap returns a writer to w that erases the line first.
func (l *statusLine) wrap(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return statusWriter{l, w}
}

type statusWriter struct {
	*statusLine
	w io.Writer
}

func (b statusWriter) Write(p []byte) (int, error) {
	b.mu.Lock()
	b.erase()
	b.last, b.midLine = time.Now(), !bytes.HasSuffix(p, []byte("\n"))
	b.mu.Unlock()
	return b.w.Write(p)
}

// progress returns a bar for what takes seconds, nil where standard error is no terminal. It
// shows once half a second has gone by, and is gone when the work is done.
func progress(what string) func(done, total int64) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	var mu sync.Mutex
	start, last := time.Now(), time.Time{}
	return func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Sub(start) < 500*time.Millisecond || total == 0 || now.Sub(last) < 100*time.Millisecond && done < total {
			return
		}
		last = now
		const width = 30
		n := int(done * width / total)
		fmt.Fprintf(os.Stderr, "\r%s [%s%s] %3d%%", what, strings.Repeat("#", n), strings.Repeat(".", width-n), done*100/total)
		if done >= total {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}

// colorful says whether diagnostics show colours; --color overrides it.
var colorful = term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"

// colorFlag declares --color.
func colorFlag(f *pflag.FlagSet, when *string) {
	f.StringVar(when, "color", "auto", "colour messages: `WHEN` is never, always or auto")
	f.Lookup("color").NoOptDefVal = "always"
	f.SetNormalizeFunc(normalizeFlag)
}

// colorArgument is --color for another gostap, whose messages come out here.
func colorArgument() string {
	if colorful {
		return "--color=always"
	}
	return "--color=never"
}

// setColor obeys --color=when.
func setColor(when string) error {
	switch when {
	case "always":
		colorful = true
	case "never":
		colorful = false
	case "auto":
	default:
		return errors.Errorf("--color=%s: never, always or auto", when)
	}
	return nil
}
