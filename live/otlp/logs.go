// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"context"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdk "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	messages "go.opentelemetry.io/proto/slim/otlp/logs/v1"

	"gostap/live"
)

// The maximal number of events in the queue, unless OTEL_BLRP_MAX_QUEUE_SIZE is set, and in a batch,
// unless OTEL_BLRP_MAX_EXPORT_BATCH_SIZE is: more than OpenTelemetry's 2,048 and 512, as handlers can
// print many at a time.
const (
	waitingEvents  = 16384
	eventsTogether = 2048
)

// newLogs returns a provider that queues events and sends them in batches. If the queue is full, the
// oldest events are dropped.
func newLogs(to *logExporter, from *resource.Resource) *sdk.LoggerProvider {
	var options []sdk.BatchProcessorOption
	if os.Getenv("OTEL_BLRP_MAX_QUEUE_SIZE") == "" {
		options = append(options, sdk.WithMaxQueueSize(waitingEvents))
	}
	if os.Getenv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE") == "" {
		options = append(options, sdk.WithExportMaxBatchSize(eventsTogether))
	}
	return sdk.NewLoggerProvider(sdk.WithResource(from), sdk.WithProcessor(sdk.NewBatchProcessor(to, options...)))
}

var severities = [...]log.Severity{live.Printed: log.SeverityInfo, live.Warning: log.SeverityWarn, live.Error: log.SeverityError}

// recordOf returns an event as a log record.
func recordOf(e *live.Event) log.Record {
	var r log.Record
	r.SetTimestamp(e.Time)
	r.SetSeverity(severities[e.Level])
	r.SetBody(attribute.StringValue(lines(e.Text)))
	if e.Probe != "" {
		r.AddAttributes(attribute.String("gostap.probe", live.Label(e.Probe)))
	}
	if e.CPU >= 0 {
		r.AddAttributes(attribute.Int("cpu.logical_number", e.CPU))
	}
	if e.Stack != "" {
		r.AddAttributes(attribute.String("code.stacktrace", lines(e.Stack)))
	}
	return r
}

// A logExporter sends the records that the SDK batches.
type logExporter struct {
	client *client
	tally  *tally
	from   *resource.Resource
}

// Export implements the SDK's Exporter.
func (x *logExporter) Export(ctx context.Context, records []sdk.Record) error {
	scoped := &messages.ScopeLogs{Scope: scope}
	for i := range records {
		scoped.LogRecords = append(scoped.LogRecords, logRecord(&records[i]))
	}
	var answer collector.ExportLogsServiceResponse
	err := x.client.send(ctx, &collector.ExportLogsServiceRequest{ResourceLogs: []*messages.ResourceLogs{
		{Resource: resourceOf(x.from), ScopeLogs: []*messages.ScopeLogs{scoped}}}}, &answer)
	x.tally.done(int64(len(records)), answer.PartialSuccess.GetRejectedLogRecords(), answer.PartialSuccess.GetErrorMessage(), err)
	return nil // the failure has been counted
}

// Shutdown and ForceFlush implement the SDK's Exporter: nothing is buffered here.
func (x *logExporter) Shutdown(context.Context) error   { return nil }
func (x *logExporter) ForceFlush(context.Context) error { return nil }

func logRecord(r *sdk.Record) *messages.LogRecord {
	m := &messages.LogRecord{TimeUnixNano: nanoseconds(r.Timestamp()), ObservedTimeUnixNano: nanoseconds(r.ObservedTimestamp()),
		SeverityNumber: messages.SeverityNumber(r.Severity()), Body: anyValue(r.Body())}
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		m.Attributes = append(m.Attributes, keyValue(kv))
		return true
	})
	return m
}

func nanoseconds(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }
