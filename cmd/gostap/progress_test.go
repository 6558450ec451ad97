// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudoterminal, 40 columns wide.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { terminal.Close() })
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
		t.Fatal(err)
	}
	return master, terminal
}

// seen returns what has been written to a terminal since the last call. The kernel passes it on in pieces: a mark is the last.
func seen(t *testing.T, master, terminal *os.File) string {
	t.Helper()
	const mark = "\a"
	if _, err := terminal.WriteString(mark); err != nil {
		t.Fatal(err)
	}
	got, buf := "", make([]byte, 4096)
	for !strings.HasSuffix(got, mark) {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got += string(buf[:n])
	}
	return strings.TrimSuffix(got, mark)
}

const eraseLine = "\x1b[2K\r"

// The line is shown when there has been no output for the given time, and is erased before other
// output.
func TestStatusLine(t *testing.T) {
	master, terminal := openTerminal(t)
	l := &statusLine{terminal: terminal}
	l.show("building for a kernel", 3*time.Second)
	l.draw(l.since.Add(2 * time.Second))
	if got := seen(t, master, terminal); got != "" {
		t.Errorf("shown too early: %q", got)
	}
	l.draw(l.since.Add(4 * time.Second))
	if got := seen(t, master, terminal); !strings.Contains(got, "building for a kernel … 4 s") {
		t.Errorf("not shown: %q", got)
	}
	var out bytes.Buffer
	fmt.Fprint(l.wrap(&out), "half a line")
	if got := seen(t, master, terminal); got != eraseLine || out.String() != "half a line" {
		t.Errorf("not erased: %q, %q", got, out.String())
	}
	l.draw(l.since.Add(time.Hour))
	if got := seen(t, master, terminal); got != "" {
		t.Errorf("drawn into a line that has not ended: %q", got)
	}
	l.midLine = false
	l.show(strings.Repeat("x", 100), 0)
	l.draw(l.since)
	got := seen(t, master, terminal)
	if line := strings.TrimSuffix(got[strings.LastIndex(got, "\r")+1:], "\x1b[0K"); len([]rune(line)) >= 40 || !strings.Contains(line, "xxx … 0 s") {
		t.Errorf("wider than the terminal: %q", line)
	}
	l.show("", 0)
	if got := seen(t, master, terminal); got != eraseLine {
		t.Errorf("not erased at the end: %q", got)
	}
}

// A bar shows the progress in one line, however narrow the terminal and long the text, and is erased at the end.
func TestBar(t *testing.T) {
	master, terminal := openTerminal(t)
	bar := barAfter(terminal, "Reading", time.Now().Add(time.Hour))
	bar(1, 2)
	bar(2, 2)
	if got := seen(t, master, terminal); got != "" {
		t.Errorf("shown too early: %q", got)
	}
	for _, what := range []string{"Reading", "Reading the debuginfo of 6.12.117+deb12-cloud-amd64, this once"} {
		for _, columns := range []uint16{40, 80, 120} {
			if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
				t.Fatal(err)
			}
			bar = barAfter(terminal, what, time.Now())
			bar(30, 100)
			got := seen(t, master, terminal)
			if line := strings.TrimSuffix(got[strings.LastIndex(got, "\r")+1:], "\x1b[0K"); len([]rune(line)) >= int(columns) || !strings.HasPrefix(line, "Reading") || !strings.Contains(line, "  30% |█") {
				t.Errorf("%d columns: %q", columns, line)
			}
			bar(100, 100)
			if got := seen(t, master, terminal); !strings.HasSuffix(got, eraseLine) {
				t.Errorf("left: %q", got)
			}
		}
	}
}

// What runs stap on a pseudoterminal sees stap's lines alone; a terminal that can't erase shows no progress either.
func TestProgressShown(t *testing.T) {
	_, terminal := openTerminal(t)
	stderr := os.Stderr
	os.Stderr = terminal
	t.Cleanup(func() { os.Stderr = stderr })
	for _, c := range []struct {
		stap  bool
		term  string
		shown bool
	}{{false, "xterm", true}, {true, "xterm", false}, {false, "dumb", false}} {
		t.Setenv("TERM", c.term)
		o := &outputOptions{stap: c.stap}
		l := o.newStatusLine()
		l.close()
		if bar := o.progress("reading"); (l != nil) != c.shown || (bar != nil) != c.shown {
			t.Errorf("stap %t, TERM=%s: line %t, bar %t", c.stap, c.term, l != nil, bar != nil)
		}
	}
}
