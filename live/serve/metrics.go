// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gostap/live"
	"gostap/live/metrics"
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

// A collector is a prometheus.Collector of a snapshot's metrics.
type collector struct{ snapshot *live.Snapshot }

// Describe sends nothing, as the metrics depend on the script.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	constant(to, "gostap_start_time_seconds", "When the session's module was loaded.", prometheus.GaugeValue, float64(c.snapshot.State.Started.UnixNano())/1e9, nil, nil)
	for _, m := range metrics.Of(c.snapshot) {
		for _, s := range m.Series {
			switch m.Kind {
			case metrics.Distribution:
				distribution(to, m, s)
			case metrics.Counter:
				constant(to, m.Name, m.Help, prometheus.CounterValue, float64(s.Number), m.Labels, s.Labels)
			default:
				constant(to, m.Name, m.Help, prometheus.GaugeValue, float64(s.Number), m.Labels, s.Labels)
			}
		}
	}
}

func constant(to chan<- prometheus.Metric, name, help string, kind prometheus.ValueType, value float64, labels, values []string) {
	to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, labels, nil), kind, value, values...)
}

// distribution sends statistics as a histogram, or as a summary if they have none.
func distribution(to chan<- prometheus.Metric, m *metrics.Metric, s metrics.Series) {
	stats := s.Statistics
	desc := prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
	if !stats.Histogram {
		to <- prometheus.MustNewConstSummary(desc, uint64(stats.Count), float64(stats.Sum), nil, s.Labels...)
		return
	}
	cumulative, sum := map[float64]uint64{}, uint64(0)
	for i, bound := range stats.Bounds {
		sum += stats.Buckets[i]
		cumulative[bound] = sum
	}
	to <- prometheus.MustNewConstHistogram(desc, uint64(stats.Count), float64(stats.Sum), cumulative, s.Labels...)
}
