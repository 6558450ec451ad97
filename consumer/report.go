// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// skipReasons are the reasons why handlers were skipped, with remedies; indexed by skip*.
var skipReasons = [nSkip]string{
	skipBusy:      "another probe was being handled on the CPU",
	skipLock:      "a lock could not be had in time; -D MAXTRYLOCK=n waits longer",
	skipStack:     "too little kernel stack was left for the handler and the functions that it calls",
	skipMaxactive: "too many calls of the function at a time; .maxactive(n) follows more",
	skipMemory:    "on processors that were plugged in when there was no memory for them",
}

// figures are the losses that are reported at a session's end.
type figures struct {
	messages    *messenger
	lost        []uint64 // for each CPU
	missing     []uint64 // for each CPU: written by the kernel side and not read
	overwritten []uint64 // for each CPU
	unwritten   uint64   // read, or left unread, because the output had failed
	bad         uint64
	skipped     []uint64 // for each skip*
	unarmed     uint32
	errors      uint64
}

// report warns of losses and skipped handlers. It returns how many probe hits
// were skipped.
func (f *figures) report() (skipped uint64) {
	if n, where := perCPU(f.lost); n > 0 {
		f.messages.warning("%d events lost (%s): the buffers were full; make them larger with -s MB", n, where)
	}
	if n, where := perCPU(f.overwritten); n > 0 {
		f.messages.warning("%d events were overwritten before anybody attached (%s): larger buffers, -s MB, hold more", n, where)
	}
	if f.unwritten > 0 {
		f.messages.warning("%d events could not be written", f.unwritten)
	}
	if n, where := perCPU(f.missing); n > 0 {
		f.messages.warning("%d events were written by the probes and not read (%s)", n, where)
	}
	if f.bad > 0 {
		f.messages.warning("%d pieces of the output were garbled", f.bad)
	}
	var reasons []string
	for i, n := range f.skipped {
		if n == 0 {
			continue
		}
		skipped += n
		reason := "for a reason that this version does not know"
		if i < nSkip {
			reason = skipReasons[i]
		}
		reasons = append(reasons, fmt.Sprintf("%d: %s", n, reason))
	}
	if skipped > 0 {
		f.messages.warning("%d probe hits skipped (%s)", skipped, strings.Join(reasons, "; "))
	}
	if f.unarmed > 0 {
		f.messages.warning("%d probe points could not be armed", f.unarmed)
	}
	if f.errors > 0 {
		f.messages.warning("Number of errors: %d, skipped probes: %d", f.errors, skipped)
	}
	return skipped
}

// report warns of losses and skipped handlers, and returns the session's statistics.
func (s *session) report() Stats {
	stats := Stats{
		Written:     s.stats.written,
		Lost:        s.stats.lost,
		Errors:      s.stats.errors,
		Unarmed:     s.stats.unarmed,
		Overwritten: s.stats.overwritten,
	}
	f := figures{
		messages:    s.messages,
		lost:        s.stats.lost,
		overwritten: s.stats.overwritten,
		skipped:     s.stats.skipped,
		unarmed:     s.stats.unarmed,
		errors:      s.stats.errors,
	}
	select {
	case <-s.reader.done:
		s.addRead(&stats, &f)
	default: // broken off: the reader still has its figures
	}
	stats.Lost = f.lost
	stats.Skipped = f.report()
	return stats
}

// addRead adds the reader's counts.
func (s *session) addRead(stats *Stats, f *figures) {
	due := make([]uint64, len(stats.Written)) // records for this reader, for each CPU
	copy(due, stats.Written)
	f.bad = s.out.bad
	for _, b := range s.reader.buffers {
		stats.Records += b.records
		f.bad += b.bad
		if len(f.lost) <= b.cpu {
			f.lost = append(f.lost, make([]uint64, b.cpu+1-len(f.lost))...)
		}
		f.lost[b.cpu] = max(f.lost[b.cpu], b.lost)
		switch {
		case b.cpu >= len(due):
		case s.left: // the rest is the next reader's
			due[b.cpu] = b.records
		default:
			due[b.cpu] -= min(due[b.cpu], b.from)
		}
	}
	if s.out.failed != nil {
		all, _ := perCPU(due)
		f.unwritten = all - min(all, s.out.written)
		if errors.Is(s.out.failed, unix.EPIPE) && !s.recorder {
			f.unwritten = 0 // nobody wanted it
		}
		return
	}
	f.missing = due
	for _, b := range s.reader.buffers {
		if b.cpu < len(due) {
			due[b.cpu] -= min(due[b.cpu], b.records)
		}
	}
}

// perCPU returns the sum of counts and the list of those that are not 0.
func perCPU(counts []uint64) (total uint64, list string) {
	var parts []string
	for cpu, n := range counts {
		if n != 0 {
			total += n
			parts = append(parts, fmt.Sprintf("cpu%d: %d", cpu, n))
		}
	}
	return total, strings.Join(parts, ", ")
}
