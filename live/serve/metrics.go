// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"net/http"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"gostap/live"
	"gostap/live/metrics"
)

func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	snapshot, err := s.snapshot()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	format := expfmt.Negotiate(r.Header)
	w.Header().Set("Content-Type", string(format))
	encoder := expfmt.NewEncoder(w, format)
	for _, family := range families(snapshot) {
		if encoder.Encode(family) != nil {
			return // the client is gone
		}
	}
}

// families returns a snapshot's metrics, sorted by name.
func families(snapshot *live.Snapshot) []*dto.MetricFamily {
	started := float64(snapshot.State.Started.UnixNano()) / 1e9
	list := []*dto.MetricFamily{{
		Name: new("gostap_start_time_seconds"), Help: new("When the session's module was loaded."), Type: dto.MetricType_GAUGE.Enum(),
		Metric: []*dto.Metric{{Gauge: &dto.Gauge{Value: &started}}},
	}}
	for _, m := range metrics.Of(snapshot) {
		family := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: familyType(m).Enum()}
		for _, s := range m.Series {
			family.Metric = append(family.Metric, metric(family.GetType(), m.Labels, s))
		}
		if len(family.Metric) > 0 {
			list = append(list, family)
		}
	}
	slices.SortFunc(list, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return list
}

// familyType is a histogram's for statistics, or a summary's if they have no buckets.
func familyType(m *metrics.Metric) dto.MetricType {
	switch {
	case m.Kind == metrics.Counter:
		return dto.MetricType_COUNTER
	case m.Kind != metrics.Distribution:
		return dto.MetricType_GAUGE
	case len(m.Series) > 0 && m.Series[0].Statistics.Histogram:
		return dto.MetricType_HISTOGRAM
	}
	return dto.MetricType_SUMMARY
}

func metric(kind dto.MetricType, labels []string, s metrics.Series) *dto.Metric {
	m := &dto.Metric{}
	for i, name := range labels {
		m.Label = append(m.Label, &dto.LabelPair{Name: &name, Value: &s.Labels[i]})
	}
	slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
	value := float64(s.Number)
	switch kind {
	case dto.MetricType_COUNTER:
		m.Counter = &dto.Counter{Value: &value}
	case dto.MetricType_GAUGE:
		m.Gauge = &dto.Gauge{Value: &value}
	case dto.MetricType_HISTOGRAM:
		m.Histogram = histogram(s.Statistics)
	case dto.MetricType_SUMMARY:
		m.Summary = &dto.Summary{SampleCount: new(uint64(s.Statistics.Count)), SampleSum: new(float64(s.Statistics.Sum))}
	}
	return m
}

func histogram(stats *metrics.Statistics) *dto.Histogram {
	h := &dto.Histogram{SampleCount: new(uint64(stats.Count)), SampleSum: new(float64(stats.Sum))}
	cumulative := uint64(0)
	for i, bound := range stats.Bounds {
		cumulative += stats.Buckets[i]
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: new(cumulative)})
	}
	return h
}
