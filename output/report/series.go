// SPDX-License-Identifier: GPL-2.0-or-later

package report

import (
	"fmt"

	"gostap/live"
)

// A Print is a position in the script that prints histograms: print(@hist_log(GLOBAL)).
type Print struct {
	Global string
	Hist   live.Hist

	printed []Printed
	omitted int // number of histograms that were printed but not kept
}

// A Printed is a printed histogram.
type Printed struct {
	Time    uint64 // in ns of CLOCK_MONOTONIC
	Ordinal int    // its number among those of the same run of a handler
	Label   string // the line printed before it, "" if there is none
	Buckets []int64
}

// maxPrinted is the maximal number of histograms kept for a position.
const maxPrinted = 20000

// Add adds a histogram that was printed at a position.
func (r *Report) Add(place int, p Printed) {
	to := &r.Prints[place]
	if len(to.printed) == maxPrinted {
		to.omitted++
		return
	}
	to.printed = append(to.printed, p)
}

// A series is one histogram over time.
type series struct {
	Title   string    `json:"title"`
	Hist    live.Hist `json:"histogram"`
	First   int       `json:"first"` // the first bucket in Columns
	Buckets int       `json:"buckets"`
	Times   []int64   `json:"times"` // ms since 1970
	Columns [][]int64 `json:"columns"`
	// Grows is set if counts never decrease, so that the differences between columns are the new
	// values.
	Grows   bool `json:"grows"`
	Omitted int  `json:"omitted,omitempty"`
}

// series returns the histograms printed at a position, grouped into series: one if each run of a
// handler prints one; else, as for the elements of an array, those with the same line before them.
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

// grows reports whether no count ever decreases, and the columns are not all equal.
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

// trim removes the buckets at both ends that are empty in all columns.
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
