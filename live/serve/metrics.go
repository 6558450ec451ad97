// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gostap/live"
)

func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	snapshot, err := s.snapshot()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(collector{snapshot}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// A collector makes metrics of a snapshot.
type collector struct{ snapshot *live.Snapshot }

// Describe says nothing beforehand: what there is depends on the script.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect is prometheus.Collector's.
func (c collector) Collect(to chan<- prometheus.Metric) {
	e := &emitter{to: to, seen: map[string]bool{}}
	e.session(&c.snapshot.State)
	for i := range c.snapshot.Probes {
		e.probe(&c.snapshot.Probes[i])
	}
	for i := range c.snapshot.Globals {
		e.global(&c.snapshot.Globals[i])
	}
}

// An emitter hands on each series once: after escaping, two keys can look the same, and the first one stays.
type emitter struct {
	to   chan<- prometheus.Metric
	seen map[string]bool
}

// fresh reports whether there has been no series of that name and these labels.
func (e *emitter) fresh(name string, values []string) bool {
	key := fmt.Sprintf("%s%q", name, values)
	if e.seen[key] {
		return false
	}
	e.seen[key] = true
	return true
}

func (e *emitter) number(name, help string, kind prometheus.ValueType, value float64, labels, values []string) {
	if e.fresh(name, values) {
		e.to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, labels, nil), kind, value, values...)
	}
}

func (e *emitter) session(s *live.State) {
	e.number("gostap_session_info", "The session.", prometheus.GaugeValue, 1, []string{"module", "script"}, []string{label(s.Module), label(s.Script)})
	for _, m := range []struct {
		name, help string
		kind       prometheus.ValueType
		value      float64
	}{
		{"gostap_start_time_seconds", "When the session's module was loaded.", prometheus.GaugeValue, float64(s.Started.UnixNano()) / 1e9},
		{"gostap_memory_bytes", "What the script's data take.", prometheus.GaugeValue, float64(s.Memory)},
		{"gostap_records_total", "Records that handlers have written.", prometheus.CounterValue, float64(s.Records)},
		{"gostap_lost_records_total", "Records that were lost for want of room.", prometheus.CounterValue, float64(s.Lost)},
		{"gostap_errors_total", "Errors in handlers.", prometheus.CounterValue, float64(s.Errors)},
		{"gostap_skipped_hits_total", "Hits at which no handler ran.", prometheus.CounterValue, float64(s.Skipped)},
	} {
		e.number(m.name, m.help, m.kind, m.value, nil, nil)
	}
}

func (e *emitter) probe(p *live.Probe) {
	on := 0.0
	if p.On {
		on = 1
	}
	labels, values := []string{"probe", "at"}, []string{label(p.Name), label(p.At)}
	e.number("gostap_probe_hits_total", "How often the probe's handler has run.", prometheus.CounterValue, float64(p.Hits), labels, values)
	e.number("gostap_probe_cycles_total", "Cycles of the processor's counter that its handler took.", prometheus.CounterValue, float64(p.Cycles), labels, values)
	e.number("gostap_probe_enabled", "Whether the probe is switched on.", prometheus.GaugeValue, on, labels, values)
}

// global hands on a global of the script's: a number as a gauge, a string as a label, statistics as a histogram or summary.
func (e *emitter) global(g *live.Global) {
	name := "gostap_global_" + metricName(g.Name)
	var labels []string
	for i := range g.Keys {
		labels = append(labels, "key"+strconv.Itoa(i+1))
	}
	help := "The script's global " + label(g.Name) + "."
	for _, r := range g.Rows {
		var values []string
		for _, k := range r.Keys {
			values = append(values, keyLabel(k))
		}
		switch g.Kind {
		case live.String:
			e.number(name+"_info", help, prometheus.GaugeValue, 1, append(labels[:len(labels):len(labels)], "value"), append(values, label(r.Value.Text)))
		case live.Statistics:
			e.statistics(name, help, g, r.Value.Stats, labels, values)
		default:
			e.number(name, help, prometheus.GaugeValue, float64(r.Value.Number), labels, values)
		}
	}
}

func (e *emitter) statistics(name, help string, g *live.Global, s *live.Stats, labels, values []string) {
	if s.Min != nil {
		e.number(name+"_minimum", help+" The least value.", prometheus.GaugeValue, float64(*s.Min), labels, values)
	}
	if s.Max != nil {
		e.number(name+"_maximum", help+" The largest value.", prometheus.GaugeValue, float64(*s.Max), labels, values)
	}
	if len(g.Hists) == 0 {
		if e.fresh(name, values) {
			e.to <- prometheus.MustNewConstSummary(prometheus.NewDesc(name, help, labels, nil), uint64(s.Count), float64(s.Sum), nil, values...)
		}
		return
	}
	for i, h := range g.Hists {
		of := name
		if i > 0 {
			of += "_histogram" + strconv.Itoa(i+1)
		}
		if e.fresh(of, values) {
			e.to <- prometheus.MustNewConstHistogram(prometheus.NewDesc(of, help, labels, nil), uint64(s.Count), float64(s.Sum), cumulative(h, s.Hists[i]), values...)
		}
	}
}

// cumulative counts for each bound what is not above it. Of a logarithmic histogram, bounds beyond what any value has
// reached are left out.
func cumulative(h live.Hist, buckets []int64) map[float64]uint64 {
	bounds := map[float64]uint64{}
	first, last, any := live.Filled(buckets)
	if h.Linear {
		first, last, any = 0, len(buckets)-1, true
	}
	sum := uint64(0)
	for i := first; any && i <= last; i++ {
		sum += uint64(buckets[i])
		if bound := h.UpperBound(i, len(buckets)); !math.IsInf(bound, 1) {
			bounds[bound] = sum
		}
	}
	return bounds
}

// metricName makes of a global's name a part of a metric's.
func metricName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, s)
}

func keyLabel(v live.Value) string {
	if v.Kind == live.String {
		return label(v.Text)
	}
	return strconv.FormatInt(v.Number, 10)
}

// label spells a text in a label: as it is, or with escapes as Go has them if some of it can't be seen or is no UTF-8.
func label(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
