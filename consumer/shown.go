// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"time"

	"github.com/pkg/errors"

	"gostap/live"
	"gostap/output/report"
)

// Shown collects a session's output, with histograms and stacks, for a report.
type Shown struct {
	stacks Stacks
	sink   shownSink
}

// Report returns a report of the session, which must have ended. final are the globals' final values, nil if they could
// not be read: see Config.Final.
func (s *Shown) Report(title string, final *live.Snapshot) *report.Report {
	r := &s.sink.report
	r.Title, r.Snapshot, r.Stacks = title, final, s.stacks.Profile()
	now := clocksNow()
	r.Clock = func(ns uint64) time.Time { return time.Unix(0, int64(now.Realtime-now.Monotonic+ns)) }
	return r
}

// A shownSink adds records to Shown, and writes nothing.
type shownSink struct {
	report report.Report
	text   *textSink
	stacks *stackSink
	clock  *clock
	cpu    int // of the run that records come from
	time   uint64
	point  uint16
	buf    []byte // a record as text
	before []byte // the end of the run's output since its last histogram, which may be the title of the next
	hists  int    // that the run has printed
}

func (s *Shown) newSink(from *sources) (sink, error) {
	if len(from.manifest.Probes) == 0 {
		return nil, errors.New("the module was built without --output=html: its globals can't be read at the end")
	}
	if _, err := s.stacks.newSink(from); err != nil {
		return nil, err
	}
	s.sink = shownSink{text: from.text(false), stacks: &s.stacks.sink, clock: from.clock}
	s.sink.report.Release = from.manifest.Release
	for i := range from.manifest.Hists {
		h := &from.manifest.Hists[i]
		s.sink.report.Prints = append(s.sink.report.Prints, report.Print{Global: h.Of, Hist: liveHist(h)})
	}
	return &s.sink, nil
}

func (s *shownSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	if cpu != s.cpu || r.time != s.time || r.point != s.point {
		s.cpu, s.time, s.point = cpu, r.time, r.point
		s.before, s.hists = s.before[:0], 0
	}
	if _, ok := s.stacks.record(nil, cpu, r, payload); !ok {
		return dst, false
	}
	var ok bool
	if s.buf, ok = s.text.record(s.buf[:0], cpu, r, payload); !ok {
		return dst, false
	}
	s.report.Text.Write(s.buf)
	switch r.kind {
	case recPrint, recText:
		s.before = append(s.before, s.buf[max(len(s.buf)-keptText/2, 0):]...)
		s.before = append(s.before[:0], s.before[max(len(s.before)-keptText/2, 0):]...)
		return dst, true
	case recHist:
	default:
		return dst, true
	}
	_, counts, _ := histRecord(s.text.hists, payload)
	s.report.Add(int(le32(payload)), report.Printed{Time: s.clock.nanoseconds(r.time), Ordinal: s.hists, Label: lastLine(s.before), Buckets: counts})
	s.before, s.hists = s.before[:0], s.hists+1
	return dst, true
}

// lastLine is the last line that is not empty.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
}
