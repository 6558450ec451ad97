// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"gostap/live"
	"gostap/live/metrics"
)

// A watcher takes snapshots of a session when the SDK collects metrics.
type watcher struct {
	tally *tally

	mu      sync.Mutex
	session live.Session
	last    *live.Snapshot // the last one, after the session has ended
}

// newMetrics returns a provider that collects the watcher's metrics and sends them, at each
// OTEL_METRIC_EXPORT_INTERVAL and at the end.
func newMetrics(to sdk.Exporter, from *resource.Resource, w *watcher) *sdk.MeterProvider {
	return sdk.NewMeterProvider(sdk.WithResource(from), sdk.WithReader(sdk.NewPeriodicReader(to, sdk.WithProducer(w))))
}

// end takes the last snapshot.
func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, _ = w.session.Snapshot()
}

func (w *watcher) snapshot() (*live.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last != nil {
		return w.last, nil
	}
	return w.session.Snapshot()
}

// Produce implements the SDK's Producer.
func (w *watcher) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	w.tally.add(1)
	snapshot, err := w.snapshot()
	if err != nil {
		w.tally.done(1, 0, "", err)
		return nil, err
	}
	scoped := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: scope.Name}}
	for _, m := range metrics.Of(snapshot) {
		if len(m.Series) > 0 {
			scoped.Metrics = append(scoped.Metrics, metricdata.Metrics{Name: m.Name, Description: m.Help, Unit: m.Unit,
				Data: data(m, snapshot.State.Started, snapshot.Time)})
		}
	}
	return []metricdata.ScopeMetrics{scoped}, nil
}

// data returns a metric's series; counters started with the session.
func data(m *metrics.Metric, started, now time.Time) metricdata.Aggregation {
	if m.Kind == metrics.Distribution {
		h := metricdata.Histogram[int64]{Temporality: metricdata.CumulativeTemporality}
		for _, s := range m.Series {
			p := metricdata.HistogramDataPoint[int64]{Attributes: attributes(m.Labels, s.Labels), StartTime: started, Time: now,
				Count: uint64(s.Statistics.Count), Sum: s.Statistics.Sum, Bounds: s.Statistics.Bounds, BucketCounts: s.Statistics.Buckets}
			if !s.Statistics.Histogram {
				p.BucketCounts = []uint64{p.Count} // one bucket for all values
			}
			h.DataPoints = append(h.DataPoints, p)
		}
		return h
	}
	var points []metricdata.DataPoint[int64]
	for _, s := range m.Series {
		points = append(points, metricdata.DataPoint[int64]{Attributes: attributes(m.Labels, s.Labels), StartTime: started, Time: now, Value: s.Number})
	}
	if m.Kind == metrics.Counter {
		return metricdata.Sum[int64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
	}
	return metricdata.Gauge[int64]{DataPoints: points}
}

func attributes(names, values []string) attribute.Set {
	var list []attribute.KeyValue
	for i, name := range names {
		list = append(list, attribute.String(name, values[i]))
	}
	return attribute.NewSet(list...)
}
