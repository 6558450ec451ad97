// SPDX-License-Identifier: GPL-2.0-or-later

package cross

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	eventLine   = regexp.MustCompile(`\[event \d+\]\n`)
	figuresLine = regexp.MustCompile(`(?m)^figures (\d+) (\d+)$`)
	ranLine     = regexp.MustCompile(`(?m)^ran (\d+) (\d+)$`)
	numbers     = regexp.MustCompile(`0x[0-9a-f]+|\d+`)
)

// totals are the sums over all sessions.
type totals struct {
	sessions, figures       int
	produced, printed, lost int
	cells                   map[string]bool // items that have run in a context
	crossed                 map[string]bool // items that have run in a context while something happened
	meanwhile               map[string]int  // number of sessions for each kind of event
	said                    map[string]int  // messages of sessions, without numbers
}

func (sums *totals) report(t *testing.T, took time.Duration) {
	t.Logf("%d sessions in %s: %d combinations of what runs and where, %d with what happens meanwhile",
		sums.sessions, took.Round(time.Second), len(sums.cells), len(sums.crossed))
	t.Logf("%d events produced, %d printed, %d records reported as lost, in %d sessions that came to their end",
		sums.produced, sums.printed, sums.lost, sums.figures)
	for _, name := range slices.Sorted(maps.Keys(sums.meanwhile)) {
		t.Logf("%6d sessions while %s", sums.meanwhile[name], name)
	}
	for _, text := range slices.Sorted(maps.Keys(sums.said)) {
		t.Logf("%6d times: %.200s", sums.said[text], text)
	}
}

// interrupted reports whether the signal for stopping a session killed its process: it came before
// gostap had installed a handler, or after the end.
func (s *oneSession) interrupted() bool {
	status, ok := s.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT && s.told
}

// check checks that a session's figures are consistent.
func (s *oneSession) check(sums *totals) {
	text, said := s.Out.String(), s.Err.String()
	for line := range strings.Lines(said) {
		sums.said[numbers.ReplaceAllString(strings.TrimSpace(line), "N")]++
	}
	if strings.Contains(said, "panic:") || !s.meanwhile.kills && s.code != 0 && s.code != 1 && !s.interrupted() {
		s.Errorf("%s: exit code %d\n%s", s, s.code, said)
	}
	m := figuresLine.FindStringSubmatch(text)
	if m == nil {
		if !s.meanwhile.starting && !s.meanwhile.kills && (s.context.Name != "error" || s.code == 1) {
			s.Errorf("%s: it has not come to its end, exit code %d, the last that it printed is %q\n%s", s, s.code, text[max(0, len(text)-200):], said)
		}
		return
	}
	produced, _ := strconv.Atoi(m[1])
	others, _ := strconv.Atoi(m[2])
	printed, lost := len(eventLine.FindAllString(text, -1)), s.Lost()
	// Losses are counted in records, some of which are not items' lines.
	if missing := produced - printed; missing < 0 || missing > lost || lost > missing+others {
		s.Errorf("%s: %d events were produced, %d printed, %d records of these and at most %d others reported as lost\n%s",
			s, produced, printed, lost, others, said)
	}
	sums.figures++
	sums.produced += produced
	sums.printed += printed
	sums.lost += lost
	for _, m := range ranLine.FindAllStringSubmatch(text, -1) {
		if i, _ := strconv.Atoi(m[1]); s.module == s.planned.Module && i < len(s.planned.Items) {
			sums.cells[s.context.Name+" "+s.planned.Items[i]] = true
			sums.crossed[s.context.Name+" "+s.planned.Items[i]+" "+s.meanwhile.name] = true
		}
	}
}
