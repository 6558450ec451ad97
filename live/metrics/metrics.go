// SPDX-License-Identifier: GPL-2.0-or-later

// Package metrics turns a snapshot into metrics, from which the forms for Prometheus and OpenTelemetry
// are made.
package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gostap/live"
)

// A Kind is the kind of a metric's values.
type Kind uint8

// A Gauge goes up and down, a Counter only goes up, and a Distribution is a set of statistics.
const (
	Gauge Kind = iota
	Counter
	Distribution
)

// A Metric is one quantity, with a series for each combination of values of its labels.
type Metric struct {
	Name, Help string
	Unit       string // a UCUM unit: "By" for bytes, "{hit}" for counts of hits
	Kind       Kind
	Labels     []string
	Series     []Series

	seen map[string]bool
}

// A Series is a metric's value or statistics for certain values of the labels.
type Series struct {
	Labels     []string // the labels' values: valid UTF-8 without control characters
	Number     int64    // of a Gauge or a Counter
	Statistics *Statistics
}

// Statistics are the statistics of a Distribution.
type Statistics struct {
	Count, Sum int64
	Histogram  bool      // whether there are buckets:
	Bounds     []float64 // the largest value in each bucket but the last
	Buckets    []uint64  // counts, for one bucket more than there are bounds
}

// add adds a series. Two keys can be equal after escaping: then the first series is kept.
func (m *Metric) add(s Series) {
	key := fmt.Sprintf("%q", s.Labels)
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	if !m.seen[key] {
		m.seen[key] = true
		m.Series = append(m.Series, s)
	}
}

// Of returns the metrics of a snapshot. If two have the same name, such as those of globals x_info and
// x, a string, the first is kept.
func Of(s *live.Snapshot) []*Metric {
	list := append(session(&s.State), probes(s.Probes)...)
	for i := range s.Globals {
		list = append(list, global(&s.Globals[i])...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(m *Metric) bool {
		again := seen[m.Name]
		seen[m.Name] = true
		return again
	})
}

func session(s *live.State) []*Metric {
	single := func(name, unit, help string, kind Kind, n uint64) *Metric {
		return &Metric{Name: name, Unit: unit, Help: help, Kind: kind, Series: []Series{{Number: int64(n)}}}
	}
	return []*Metric{
		{Name: "gostap_session_info", Help: "The session.", Unit: "1", Labels: []string{"module", "script"},
			Series: []Series{{Labels: []string{live.Label(s.Module), live.Label(s.Script)}, Number: 1}}},
		single("gostap_memory_bytes", "By", "What the script's data take.", Gauge, s.Memory),
		single("gostap_records_total", "{record}", "Records that handlers have written.", Counter, s.Records),
		single("gostap_lost_records_total", "{record}", "Records that were lost for want of room.", Counter, s.Lost),
		single("gostap_errors_total", "{error}", "Errors in handlers.", Counter, s.Errors),
		single("gostap_skipped_hits_total", "{hit}", "Hits at which no handler ran.", Counter, s.Skipped),
	}
}

func probes(list []live.Probe) []*Metric {
	labels := []string{"probe", "at"}
	hits := &Metric{Name: "gostap_probe_hits_total", Unit: "{hit}", Help: "How often the probe's handler has run.", Kind: Counter, Labels: labels}
	cycles := &Metric{Name: "gostap_probe_cycles_total", Unit: "{cycle}", Help: "Cycles of the processor's counter that its handler took.", Kind: Counter, Labels: labels}
	enabled := &Metric{Name: "gostap_probe_enabled", Unit: "1", Help: "Whether the probe is switched on.", Labels: labels}
	for _, p := range list {
		values := []string{live.Label(p.Name), live.Label(p.At)}
		hits.add(Series{Labels: values, Number: int64(p.Hits)})
		cycles.add(Series{Labels: values, Number: int64(p.Cycles)})
		on := int64(0)
		if p.On {
			on = 1
		}
		enabled.add(Series{Labels: values, Number: on})
	}
	return []*Metric{hits, cycles, enabled}
}

// global returns the metrics of a global: a number is a gauge, a string a label.
func global(g *live.Global) []*Metric {
	m := &Metric{Name: "gostap_global_" + metricName(g.Name), Help: "The script's global " + live.Label(g.Name) + "."}
	for i := range g.Keys {
		m.Labels = append(m.Labels, "key"+strconv.Itoa(i+1))
	}
	if g.Kind == live.Statistics {
		return statistics(m, g)
	}
	if g.Kind == live.String {
		m.Name += "_info"
		m.Labels = append(m.Labels, "value")
	}
	for _, r := range g.Rows {
		values := keyLabels(r.Keys)
		if g.Kind == live.String {
			m.add(Series{Labels: append(values, live.Label(r.Value.Text)), Number: 1})
		} else {
			m.add(Series{Labels: values, Number: r.Value.Number})
		}
	}
	return []*Metric{m}
}

// statistics returns the metrics of a global of statistics, with the name and labels of m: a
// distribution for each of the histograms, or one without, and gauges of minimum and maximum.
func statistics(m *Metric, g *live.Global) []*Metric {
	like := func(suffix, help string, kind Kind) *Metric {
		return &Metric{Name: m.Name + suffix, Help: m.Help + help, Kind: kind, Labels: m.Labels}
	}
	distributions := []*Metric{like("", "", Distribution)}
	for i := 1; i < len(g.Hists); i++ {
		distributions = append(distributions, like("_histogram"+strconv.Itoa(i+1), "", Distribution))
	}
	minimum, maximum := like("_minimum", " The least value.", Gauge), like("_maximum", " The largest value.", Gauge)
	for _, r := range g.Rows {
		values, s := keyLabels(r.Keys), r.Value.Stats
		for i, d := range distributions {
			of := &Statistics{Count: s.Count, Sum: s.Sum, Histogram: i < len(g.Hists)}
			if of.Histogram {
				of.Bounds, of.Buckets = buckets(g.Hists[i], s.Hists[i])
			}
			d.add(Series{Labels: values, Statistics: of})
		}
		if s.Min != nil {
			minimum.add(Series{Labels: values, Number: *s.Min})
		}
		if s.Max != nil {
			maximum.add(Series{Labels: values, Number: *s.Max})
		}
	}
	return append(distributions, minimum, maximum)
}

func keyLabels(keys []live.Value) []string {
	labels := make([]string, len(keys))
	for i, k := range keys {
		labels[i] = k.Label()
	}
	return labels
}

// buckets returns the counts of the buckets between the first and the last that are not empty (for a
// linear histogram of all), and their bounds. The last bucket is for values above all bounds.
func buckets(h live.Hist, counts []int64) (bounds []float64, filled []uint64) {
	first, last, any := live.Filled(counts)
	if h.Linear {
		first, last, any = 0, len(counts)-1, true
	}
	for i := first; any && i <= last; i++ {
		filled = append(filled, uint64(counts[i]))
		if i < len(counts)-1 {
			bounds = append(bounds, h.UpperBound(i, len(counts)))
		}
	}
	if len(filled) == len(bounds) {
		filled = append(filled, 0)
	}
	return bounds, filled
}

// metricName turns a global's name into a part of a metric's.
func metricName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, s)
}
