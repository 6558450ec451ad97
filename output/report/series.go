// SPDX-License-Identifier: GPL-2.0-or-later

package report

import (
	"fmt"

	"gostap/live"
)

// A Print is a place of the script that prints histograms: print(@hist_log(GLOBAL)).
type Print struct {
	Global string
	Hist   live.Hist

	printed []Printed
	omitted int // printed, and not kept
}

// A Printed is a histogram that has been printed.
type Printed struct {
	Time    uint64 // in ns of CLOCK_MONOTONIC
	Ordinal int    // among those that the same run of a handler has printed
	Label   string // the line before it, "" if there is none
	Buckets []int64
}

// maxPrinted is how many histograms of a place are kept.
const maxPrinted = 20000

// Add adds a histogram that a place has printed.
func (r *Report) Add(place int, p Printed) {
	to := &r.Prints[place]
	if len(to.printed) == maxPrinted {
		to.omitted++
		return
	}
	to.printed = append(to.printed, p)
}

// A series is the same histogram over time.
type series struct {
	Title   string    `json:"title"`
	Hist    live.Hist `json:"histogram"`
	First   int       `json:"first"` // bucket that Columns begin with
	Buckets int       `json:"buckets"`
	Times   []int64   `json:"times"` // ms since 1970
	Columns [][]int64 `json:"columns"`
	// Grows: nothing was cleared between one and the next, so that what is new in each is the difference.
	Grows   bool `json:"grows"`
	Omitted int  `json:"omitted,omitempty"`
}

// series returns the histograms that a place has printed, those together that are the same at different times: all, unless
// a handler prints several in one run, for the elements of an array; then those that the same line stands before.
func (p *Print) series(clock func(ns uint64) int64) []*series {
	several := false
	for i := range p.printed {
		several = several || p.printed[i].Ordinal > 0
	}
	var list []*series
	byLabel := map[string]*series{}
	for i := range p.printed {
		at := &p.printed[i]
		label := ""
		if several {
			label = at.Label
		}
		s := byLabel[label]
		if s == nil {
			s = &series{Title: p.title(label), Hist: p.Hist, Buckets: len(at.Buckets), Omitted: p.omitted}
			byLabel[label] = s
			list = append(list, s)
		}
		s.Times = append(s.Times, clock(at.Time))
		s.Columns = append(s.Columns, at.Buckets)
	}
	for _, s := range list {
		s.Grows = grows(s.Columns)
		s.trim()
	}
	return list
}

func (p *Print) title(label string) string {
	kind := "@hist_log"
	if p.Hist.Linear {
		kind = "@hist_linear"
	}
	title := fmt.Sprintf("%s(%s)", kind, p.Global)
	if label != "" {
		title += ": " + label
	}
	return title
}

// grows reports whether no bucket is ever less than before, and the columns are not all the same.
func grows(columns [][]int64) bool {
	more := false
	for i := 1; i < len(columns); i++ {
		for j, n := range columns[i] {
			if n < columns[i-1][j] {
				return false
			}
			more = more || n > columns[i-1][j]
		}
	}
	return more
}

// trim leaves out the buckets at both ends that are empty in all columns.
func (s *series) trim() {
	first, last := s.Buckets, -1
	for _, c := range s.Columns {
		if from, to, ok := live.Filled(c); ok {
			first, last = min(first, from), max(last, to)
		}
	}
	if last < 0 {
		first, last = 0, 0
	}
	s.First = first
	for i := range s.Columns {
		s.Columns[i] = s.Columns[i][first : last+1]
	}
}
