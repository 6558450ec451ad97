// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"gostap/internal/panics"
)

// A statusLine shows on a terminal what gostap waits for, and since when. It appears when there has
// been no other output for a while, and disappears at the next output. It is nil where progress is not
// shown.
type statusLine struct {
	terminal  *os.File
	done      chan struct{}
	refresher panics.Group

	mu      sync.Mutex
	what    string
	since   time.Time
	last    time.Time                // when something else was shown
	after   time.Duration            // the time without output before it appears
	spinner *progressbar.ProgressBar // nil while nothing is shown
	midLine bool                     // the last output has not ended its line
}

// showsProgress reports whether progress is shown on standard error: on a terminal that can erase it, and
// not for stap, as programs that run stap on a terminal, expect for one, wait for its own lines.
func (o *outputOptions) showsProgress() bool {
	return !o.stap && term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
}

// newStatusLine returns a status line on standard error.
func (o *outputOptions) newStatusLine() *statusLine {
	if !o.showsProgress() {
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

// show sets the text to be shown after that time without output, "" for none.
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

// close removes the line for good.
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
	if l.spinner == nil {
		l.spinner = newBar(l.terminal, -1, barWidth, false)
	}
	const spinnerWidth = 5 // with the blanks around the text, and a column that stays free
	seconds := fmt.Sprintf(" … %.0f s", now.Sub(l.since).Seconds())
	l.spinner.Describe(cut(l.what, widthOf(l.terminal)-spinnerWidth-len([]rune(seconds))) + seconds)
}

// widthOf returns the number of a terminal's columns; 80 if it does not tell.
func widthOf(terminal *os.File) int {
	if width, _, err := term.GetSize(int(terminal.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// cut cuts a text off after that many characters.
func cut(text string, length int) string {
	if r := []rune(text); len(r) > max(length, 0) {
		return string(r[:max(length, 0)])
	}
	return text
}

func (l *statusLine) erase() {
	if l.spinner != nil {
		l.spinner.Clear()
		l.spinner = nil
	}
}

// barWidth is the width of bars where there is room.
const barWidth = 30

// newBar returns a bar on a terminal, of that many columns, for total steps and with the time gone and left, or a spinner for -1.
// It is redrawn by its owner.
func newBar(terminal io.Writer, total int64, width int, times bool) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(terminal),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSpinnerType(9),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
		progressbar.OptionSetElapsedTime(times),
		progressbar.OptionSetPredictTime(times),
		progressbar.OptionSetWidth(width),
		progressbar.OptionClearOnFinish())
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
	b.before(p)
	return b.w.Write(p)
}

// before erases the line before p is written to the terminal.
func (l *statusLine) before(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.last, l.midLine = time.Now(), !bytes.HasSuffix(p, []byte("\n"))
}

// progress returns a bar for a step that takes seconds, nil where progress is not shown. It
// appears after half a second, and disappears at the end.
func (o *outputOptions) progress(what string) func(done, total int64) {
	if !o.showsProgress() {
		return nil
	}
	return barAfter(os.Stderr, what, time.Now().Add(500*time.Millisecond))
}

// barAfter is a bar that is shown from a time on, in one line of the terminal.
func barAfter(terminal *os.File, what string, from time.Time) func(done, total int64) {
	var mu sync.Mutex
	var bar *progressbar.ProgressBar
	var last time.Time
	return func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Before(from) || total <= 0 || now.Sub(last) < 100*time.Millisecond && done < total {
			return
		}
		last = now
		if bar == nil {
			columns := widthOf(terminal) - 12 // for the percentage and what surrounds it, and a column that stays free
			times := columns >= 50
			if times {
				columns -= len("| [1m10s:1m10s] ")
			}
			width := min(max(columns-len([]rune(what)), columns/3, 1), barWidth)
			bar = newBar(terminal, total, width, times)
			bar.Describe(cut(what, columns-width))
		}
		bar.ChangeMax64(total)
		bar.Set64(min(done, total))
	}
}
