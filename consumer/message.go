// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"gostap/live"
)

// A message is one of the kernel side's, beside the output: GS_CMD_MESSAGE.
type message struct {
	kind  uint32 // msg*
	text  string
	near  string // where in the script, "" if unknown
	point string // the probe point, "" if none
}

// messenger writes messages to the terminal:
//
//	ERROR: division by 0 near operator '/' at x.stp:3:5
//	WARNING: 12 events lost …
type messenger struct {
	mu     sync.Mutex
	w      io.Writer
	color  bool
	quiet  bool // no warnings
	errors int
	tell   func(live.Event) // is called for each message of a handler
	last   string
	inARow int // how often last has been repeated
}

// repeats is how many identical messages in a row are written before they are only counted.
const repeats = 5

func newMessenger(cfg *Config) *messenger {
	return &messenger{w: cfg.stderr(), quiet: cfg.NoWarnings, color: cfg.Color, tell: cfg.Events}
}

// stderr is the standard error of commands: that of messages.
func (m *messenger) stderr() io.Writer {
	if f, ok := m.w.(*os.File); ok {
		return f
	}
	return writerUnder{&m.mu, m.w}
}

// A writerUnder writes under a lock.
type writerUnder struct {
	mu *sync.Mutex
	w  io.Writer
}

func (w writerUnder) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(b)
}

// message writes one from the kernel side.
func (m *messenger) message(msg message) {
	text := msg.text
	switch {
	case msg.near != "":
		text += " " + msg.near
	case msg.point != "":
		text += " in probe " + msg.point
	}
	event := live.Event{Level: live.Warning, Time: time.Now(), CPU: -1, Probe: msg.point, Text: text}
	switch msg.kind {
	case msgError:
		m.error(text)
		event.Level = live.Error
	case msgWarning:
		if m.quiet {
			return
		}
		m.warning("%s", text)
	}
	if m.tell != nil {
		m.tell(event)
	}
}

func (m *messenger) error(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.errors++
	m.write("\x1b[1;31m", "ERROR:", text)
}

func (m *messenger) warning(format string, args ...any) {
	if m.quiet {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.write("\x1b[1;33m", "WARNING:", fmt.Sprintf(format, args...))
}

func (m *messenger) write(colour, label, text string) {
	text = string(printable([]byte(text)))
	if line := label + " " + text; line == m.last {
		if m.inARow++; m.inARow > repeats {
			return
		}
	} else {
		m.settle()
		m.last, m.inARow = line, 1
	}
	if m.color {
		label = colour + label + "\x1b[0m"
	}
	fmt.Fprintf(m.w, "%s %s\n", label, text)
}

// settle reports how many messages were only counted.
func (m *messenger) settle() {
	if m.inARow > repeats {
		fmt.Fprintf(m.w, "(the last message came %d times more)\n", m.inARow-repeats)
	}
	m.last, m.inARow = "", 0
}

// failed reports whether there was an error, and ends the counting.
func (m *messenger) failed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	return m.errors > 0
}

// info writes something about the session itself.
func (m *messenger) info(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	fmt.Fprintf(m.w, format+"\n", args...)
}
