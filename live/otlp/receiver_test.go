// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"gostap/tests/receiver"
)

// A testReceiver listens until the end of a test.
type testReceiver struct {
	*httptest.Server
	receiver.Receiver
}

// newReceiver returns a receiver. The result of answer is whether it accepts a request; nil: it accepts
// all.
func newReceiver(t *testing.T, answer func(http.ResponseWriter, *http.Request) bool) *testReceiver {
	r := &testReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if answer == nil || answer(w, request) {
			r.ServeHTTP(w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// newTLSReceiver returns one by https, and sets its authority in the environment.
func newTLSReceiver(t *testing.T) *testReceiver {
	r := &testReceiver{}
	r.Server = httptest.NewTLSServer(&r.Receiver)
	t.Cleanup(r.Close)
	path := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", path)
	return r
}
