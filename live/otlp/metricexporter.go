// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"context"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	messages "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
)

// A metricExporter sends the metrics that the SDK collects.
type metricExporter struct {
	client *client
	tally  *tally
}

// Temporality and Aggregation implement the SDK's Exporter; they concern instruments, which are not
// used.
func (x *metricExporter) Temporality(sdk.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

func (x *metricExporter) Aggregation(k sdk.InstrumentKind) sdk.Aggregation {
	return sdk.DefaultAggregationSelector(k)
}

// Export implements the SDK's Exporter.
func (x *metricExporter) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	of := &messages.ResourceMetrics{Resource: resourceOf(all.Resource)}
	for _, s := range all.ScopeMetrics {
		scoped := &messages.ScopeMetrics{Scope: scope}
		for _, m := range s.Metrics {
			scoped.Metrics = append(scoped.Metrics, metric(m))
		}
		of.ScopeMetrics = append(of.ScopeMetrics, scoped)
	}
	var answer collector.ExportMetricsServiceResponse
	err := x.client.send(ctx, &collector.ExportMetricsServiceRequest{ResourceMetrics: []*messages.ResourceMetrics{of}}, &answer)
	rejected := min(answer.PartialSuccess.GetRejectedDataPoints(), 1) // any rejection counts as one, as the metrics are sent as a whole
	x.tally.done(1, rejected, answer.PartialSuccess.GetErrorMessage(), err)
	return nil // the failure has been counted
}

// Shutdown and ForceFlush implement the SDK's Exporter: nothing is buffered here.
func (x *metricExporter) Shutdown(context.Context) error   { return nil }
func (x *metricExporter) ForceFlush(context.Context) error { return nil }

// metric returns the message for a metric of the watcher.
func metric(m metricdata.Metrics) *messages.Metric {
	to := &messages.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch d := m.Data.(type) {
	case metricdata.Gauge[int64]:
		to.Data = &messages.Metric_Gauge{Gauge: &messages.Gauge{DataPoints: numbers(d.DataPoints)}}
	case metricdata.Sum[int64]:
		to.Data = &messages.Metric_Sum{Sum: &messages.Sum{DataPoints: numbers(d.DataPoints), IsMonotonic: d.IsMonotonic, AggregationTemporality: cumulative}}
	case metricdata.Histogram[int64]:
		h := &messages.Histogram{AggregationTemporality: cumulative}
		for _, p := range d.DataPoints {
			sum := float64(p.Sum)
			h.DataPoints = append(h.DataPoints, &messages.HistogramDataPoint{Attributes: keyValues(p.Attributes.Iter()), StartTimeUnixNano: nanoseconds(p.StartTime),
				TimeUnixNano: nanoseconds(p.Time), Count: p.Count, Sum: &sum, BucketCounts: p.BucketCounts, ExplicitBounds: p.Bounds})
		}
		to.Data = &messages.Metric_Histogram{Histogram: h}
	}
	return to
}

const cumulative = messages.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE

func numbers(points []metricdata.DataPoint[int64]) []*messages.NumberDataPoint {
	var list []*messages.NumberDataPoint
	for _, p := range points {
		list = append(list, &messages.NumberDataPoint{Attributes: keyValues(p.Attributes.Iter()), StartTimeUnixNano: nanoseconds(p.StartTime),
			TimeUnixNano: nanoseconds(p.Time), Value: &messages.NumberDataPoint_AsInt{AsInt: p.Value}})
	}
	return list
}
