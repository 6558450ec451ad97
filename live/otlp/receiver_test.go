// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"compress/gzip"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	profiles "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// A receiver is an OpenTelemetry receiver: it keeps what it is sent, read as the messages that OpenTelemetry's own receivers
// have. A request of a collector's has the fields of what files hold.
type receiver struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request) bool // whether to go on; nil: always

	mu       sync.Mutex
	headers  []http.Header
	logs     logs.LogsData
	metrics  []*metrics.MetricsData
	profiles []*profiles.ProfilesData
}

func newReceiver(t *testing.T, answer func(http.ResponseWriter, *http.Request) bool) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// newTLSReceiver returns one by https, and has the environment name who has signed its certificate.
func newTLSReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewTLSServer(r)
	t.Cleanup(r.Close)
	path := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", path)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.answer != nil && !r.answer(w, request) {
		return
	}
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

func (r *receiver) take(path string, header http.Header, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers = append(r.headers, header)
	switch path {
	case "/v1/logs":
		var m logs.LogsData
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		r.logs.ResourceLogs = append(r.logs.ResourceLogs, m.ResourceLogs...)
	case "/v1/metrics":
		var m metrics.MetricsData
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		r.metrics = append(r.metrics, &m)
	case "/v1development/profiles":
		var m profiles.ProfilesData
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		r.profiles = append(r.profiles, &m)
	default:
		return os.ErrNotExist
	}
	return nil
}

// records are all log records that have come.
func (r *receiver) records() []*logs.LogRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*logs.LogRecord
	for _, of := range r.logs.ResourceLogs {
		for _, scoped := range of.ScopeLogs {
			list = append(list, scoped.LogRecords...)
		}
	}
	return list
}

func byKey(list []*common.KeyValue) map[string]string {
	values := map[string]string{}
	for _, kv := range list {
		values[kv.Key] = kv.Value.GetStringValue()
		if _, ok := kv.Value.Value.(*common.AnyValue_IntValue); ok {
			values[kv.Key] = strconv.FormatInt(kv.Value.GetIntValue(), 10)
		}
	}
	return values
}
