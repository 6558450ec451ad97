// SPDX-License-Identifier: GPL-2.0-or-later

// Package live defines the data of a running session that are displayed: its globals as tables, its
// probes with their figures, and its state. The consumer reads them from the kernel; packages serve,
// monitor and otlp show them.
package live

import "time"

// A Session is a running session. Its methods may be called from several goroutines.
type Session interface {
	// Snapshot reads the whole state. Handlers continue to run meanwhile: each element is consistent,
	// but different elements may be of different times.
	Snapshot() (*Snapshot, error)
	// Reset gives the globals their initial values.
	Reset() error
	// Switch enables or disables a probe's handler; probe is an index into Snapshot.Probes.
	Switch(probe int, on bool) error
}

// A Snapshot is the state of a session at one time.
type Snapshot struct {
	Time    time.Time `json:"time"`
	State   State     `json:"session"`
	Globals []Global  `json:"globals"`
	Probes  []Probe   `json:"probes"`
}

// A State has the figures of a session as a whole.
type State struct {
	Module  string    `json:"module"`
	Script  string    `json:"script"`
	Started time.Time `json:"started"`
	Running bool      `json:"running"`
	Memory  uint64    `json:"memory_bytes"` // of the script's data
	Records uint64    `json:"records"`      // written by handlers so far
	Lost    uint64    `json:"lost"`         // for lack of buffer space
	Errors  uint64    `json:"errors"`       // in handlers
	Skipped uint64    `json:"skipped"`      // hits at which no handler ran
}

// The kinds of values.
const (
	Long       = "long"
	String     = "string"
	Statistics = "statistics"
)

// A Global is a global variable of the script. A scalar has one row without keys.
type Global struct {
	Name  string   `json:"name"`
	Keys  []string `json:"keys,omitempty"` // of an array: Long or String each
	Kind  string   `json:"kind"`           // of the values: Long, String or Statistics
	Hists []Hist   `json:"histograms,omitempty"`
	Rows  []Row    `json:"rows"`
	Error string   `json:"error,omitempty"` // why it could not be read; "" if it was read
}

// Scalar reports whether g is not an array.
func (g *Global) Scalar() bool { return len(g.Keys) == 0 }

// A Row is an element of an array, or a scalar.
type Row struct {
	Keys  []Value `json:"keys,omitempty"`
	Value Value   `json:"value"`
}

// A Hist has the parameters of a histogram.
type Hist struct {
	Linear   bool  `json:"linear,omitempty"`
	Low      int64 `json:"low,omitempty"`  // of a linear one: the first value,
	High     int64 `json:"high,omitempty"` // the last, and the size of a bucket
	Interval int64 `json:"interval,omitempty"`
}

// Stats are the statistics of a global or of an element of an array.
type Stats struct {
	Count int64     `json:"count"`
	Sum   int64     `json:"sum"`
	Min   *int64    `json:"min,omitempty"` // nil if the script does not use it, or if there are no values
	Max   *int64    `json:"max,omitempty"`
	Hists [][]int64 `json:"histograms,omitempty"` // for each of Global.Hists the counts of its buckets
}

// Avg is the average as scripts compute it, 0 if there are no values.
func (s *Stats) Avg() int64 {
	if s.Count == 0 {
		return 0
	}
	return s.Sum / s.Count
}

// A Probe is a probe of the script, which may have many points.
type Probe struct {
	Name   string `json:"name"`
	At     string `json:"at"` // its position in the script, "path:line:col"
	Points int    `json:"points"`
	On     bool   `json:"on"`
	Hits   uint64 `json:"hits"`
	// Cycles of the processor's time stamp counter in its handler: the sum, and the minimum, average
	// and maximum for a hit; 0 before the first hit.
	Cycles uint64 `json:"cycles"`
	Min    uint64 `json:"min_cycles"`
	Avg    uint64 `json:"avg_cycles"`
	Max    uint64 `json:"max_cycles"`
}
