// SPDX-License-Identifier: GPL-2.0-or-later

// Package receiver is an OpenTelemetry receiver for tests: it stores the data that it receives by OTLP
// over HTTP, decoded as the messages that OpenTelemetry's own receivers use. A request of each signal
// is decoded as the message of files with that signal, which has the same fields.
package receiver

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	profiles "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// A Receiver is an http.Handler.
type Receiver struct {
	mu       sync.Mutex
	Headers  []http.Header
	Logs     logs.LogsData
	Metrics  []*metrics.MetricsData
	Profiles []*profiles.ProfilesData
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body io.Reader = request.Body
	if request.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	data, err := io.ReadAll(body)
	if err == nil {
		err = r.take(request.URL.Path, request.Header, data)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (r *Receiver) take(path string, header http.Header, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Headers = append(r.Headers, header)
	switch path {
	case "/v1/logs":
		var m logs.LogsData
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		r.Logs.ResourceLogs = append(r.Logs.ResourceLogs, m.ResourceLogs...)
	case "/v1/metrics":
		var m metrics.MetricsData
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		r.Metrics = append(r.Metrics, &m)
	case "/v1development/profiles":
		var m profiles.ProfilesData
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		r.Profiles = append(r.Profiles, &m)
	default:
		return os.ErrNotExist
	}
	return nil
}

// Records are all received log records.
func (r *Receiver) Records() []*logs.LogRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records()
}

func (r *Receiver) records() []*logs.LogRecord {
	var list []*logs.LogRecord
	for _, of := range r.Logs.ResourceLogs {
		for _, scoped := range of.ScopeLogs {
			list = append(list, scoped.LogRecords...)
		}
	}
	return list
}

// ByKey returns the texts and numbers of attributes.
func ByKey(list []*common.KeyValue) map[string]string {
	values := map[string]string{}
	for _, kv := range list {
		values[kv.Key] = kv.Value.GetStringValue()
		if _, ok := kv.Value.Value.(*common.AnyValue_IntValue); ok {
			values[kv.Key] = strconv.FormatInt(kv.Value.GetIntValue(), 10)
		}
	}
	return values
}
