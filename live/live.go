// SPDX-License-Identifier: GPL-2.0-or-later

// Package live says what a session shows while it runs: its globals as tables,
// its probes with their figures, and how it goes. The consumer reads it from
// the kernel; packages serve and monitor show it.
package live

import "time"

// A Session is one that runs, and can be looked at. Its methods may be called
// from several goroutines.
type Session interface {
	// Snapshot reads everything. Handlers run on meanwhile: each element is
	// whole, and two of them may be of different moments.
	Snapshot() (*Snapshot, error)
	// Reset gives the globals their initial values.
	Reset() error
	// Switch has a probe's handler run or not; probe is an index into Snapshot.Probes.
	Switch(probe int, on bool) error
}

// A Snapshot is a session at a moment.
type Snapshot struct {
	Time    time.Time `json:"time"`
	State   State     `json:"session"`
	Globals []Global  `json:"globals"`
	Probes  []Probe   `json:"probes"`
}

// A State says how a session goes.
type State struct {
	Module  string    `json:"module"`
	Script  string    `json:"script"`
	Started time.Time `json:"started"`
	Running bool      `json:"running"`
	Memory  uint64    `json:"memory_bytes"` // of the script's data
	Records uint64    `json:"records"`      // written by handlers so far
	Lost    uint64    `json:"lost"`         // for want of room
	Errors  uint64    `json:"errors"`       // in handlers
	Skipped uint64    `json:"skipped"`      // hits at which no handler ran
}

// The kinds of values.
const (
	Long       = "long"
	String     = "string"
	Statistics = "statistics"
)

// A Global is a global variable of the script's. That of a scalar has one row without keys.
type Global struct {
	Name  string   `json:"name"`
	Keys  []string `json:"keys,omitempty"` // of an array: Long or String each
	Kind  string   `json:"kind"`           // of the values
	Hists []Hist   `json:"histograms,omitempty"`
	Rows  []Row    `json:"rows"`
	Error string   `json:"error,omitempty"` // why it could not be read; "" if it could
}

// Scalar reports whether g is no array.
func (g *Global) Scalar() bool { return len(g.Keys) == 0 }

// A Row is an element of an array, or a scalar.
type Row struct {
	Keys  []Value `json:"keys,omitempty"`
	Value Value   `json:"value"`
}

// A Hist is what a histogram of statistics looks like.
type Hist struct {
	Linear   bool  `json:"linear,omitempty"`
	Low      int64 `json:"low,omitempty"`  // of a linear one,
	High     int64 `json:"high,omitempty"` // in steps
	Interval int64 `json:"interval,omitempty"`
}

// Stats are the statistics of a global or of an element.
type Stats struct {
	Count int64     `json:"count"`
	Sum   int64     `json:"sum"`
	Min   *int64    `json:"min,omitempty"` // nil if the script doesn't ask for it, or if nothing has been added
	Max   *int64    `json:"max,omitempty"`
	Hists [][]int64 `json:"histograms,omitempty"` // for each of Global.Hists its buckets
}

// Avg is the average as scripts have it, 0 where nothing has been added.
func (s *Stats) Avg() int64 {
	if s.Count == 0 {
		return 0
	}
	return s.Sum / s.Count
}

// A Probe is a probe as the script has it, which may stand for many points.
type Probe struct {
	Name   string `json:"name"`
	At     string `json:"at"` // where it is written, "path:line:col"
	Points int    `json:"points"`
	On     bool   `json:"on"`
	Hits   uint64 `json:"hits"`
	// Cycles of the processor's counter that its handler took: in all, and at least, on average and at most for a hit; 0
	// before the first.
	Cycles uint64 `json:"cycles"`
	Min    uint64 `json:"min_cycles"`
	Avg    uint64 `json:"avg_cycles"`
	Max    uint64 `json:"max_cycles"`
}
