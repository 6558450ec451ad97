// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"

	"gostap/live"
	"gostap/output/profile"
	"gostap/tests/receiver"
)

// fakeSession is a session with known values, and key as their key.
type fakeSession struct{ key string }

func (s fakeSession) Snapshot() (*live.Snapshot, error) {
	buckets := make([]int64, 128)
	buckets[65], buckets[67] = 3, 5 // three 1s, five of 4 to 7
	least, most := int64(1), int64(7)
	stats := live.Value{Kind: live.Statistics, Stats: &live.Stats{Count: 8, Sum: 33, Min: &least, Max: &most, Hists: [][]int64{buckets}}}
	number := func(n int64) live.Value { return live.Value{Kind: live.Long, Number: n} }
	key := live.Value{Kind: live.String, Text: s.key}
	return &live.Snapshot{Time: time.Unix(2000, 0), State: live.State{Module: "m", Script: "x.stp", Records: 12, Started: time.Unix(1000, 0)},
		Probes: []live.Probe{{Name: "timer.s(1)", At: "x.stp:1:1", On: true, Hits: 42, Cycles: 420}},
		Globals: []live.Global{
			{Name: "n", Kind: live.Long, Keys: []string{live.String, live.Long}, Rows: []live.Row{{Keys: []live.Value{key, number(-1)}, Value: number(1<<60 + 1)}}},
			{Name: "who", Kind: live.String, Rows: []live.Row{{Value: key}}},
			{Name: "sizes", Kind: live.Statistics, Hists: []live.Hist{{}}, Rows: []live.Row{{Value: stats}}},
			{Name: "times", Kind: live.Statistics, Rows: []live.Row{{Value: stats}}},
		}}, nil
}

func (fakeSession) Reset() error           { return nil }
func (fakeSession) Switch(int, bool) error { return nil }

// start starts a Sender for an endpoint; warnings go to the test's log.
func start(t *testing.T, endpoint string) *Sender {
	t.Helper()
	s, err := Start(Options{Endpoint: endpoint, Script: "x.stp", Version: "0", Stacks: func() *profile.Profile { return &profile.Profile{} }, Warn: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stacks() *profile.Profile {
	p := &profile.Profile{}
	work := profile.Frame{Name: "work", Module: "/bin/prog", Kind: profile.User}
	p.Leaf([]profile.Frame{work, {Name: "vfs_read", Module: "kernel", Kind: profile.Kernel}}).Self = 30
	p.Leaf([]profile.Frame{work}).Self = 10
	return p
}

// The receiver gets the session's numbers.
func TestNumbers(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b")
	t.Setenv("OTEL_EXPORTER_OTLP_LOGS_COMPRESSION", "gzip")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,gostap.script=other")
	r := newReceiver(t, nil)
	s := start(t, r.URL)
	end := s.Watch(fakeSession{"dd"})
	const events = 5000
	for i := range events {
		s.Event(live.Event{Time: time.Unix(int64(i), 0), CPU: i % 4, Probe: "timer.s(1)", Text: fmt.Sprintf("line\tof %d\x1b\nmore\xff\n", i), Stack: " 0x1 : f\n"})
	}
	end()
	if missing := s.Close(stacks()); missing != "" {
		t.Error(missing)
	}

	records := r.Records()
	if len(records) != events {
		t.Fatalf("%d events of %d", len(records), events)
	}
	for i, record := range records {
		a := receiver.ByKey(record.Attributes)
		if record.Body.GetStringValue() != fmt.Sprintf("line\tof %d\\x1b\nmore\\xff", i) || record.TimeUnixNano != uint64(i)*1e9 ||
			a["gostap.probe"] != "timer.s(1)" || a["cpu.logical_number"] != fmt.Sprint(i%4) || a["code.stacktrace"] != " 0x1 : f" {
			t.Fatalf("%d: %v", i, record)
		}
	}
	resource := receiver.ByKey(r.Logs.ResourceLogs[0].Resource.Attributes)
	if resource["service.name"] != "gostap" || resource["deployment.environment.name"] != "test" || resource["gostap.script"] != "other" {
		t.Errorf("%v", resource)
	}
	for _, h := range r.Headers {
		if h.Get("X-Key") != "a b" {
			t.Errorf("%v", h)
		}
	}

	if len(r.Metrics) != 1 {
		t.Fatalf("metrics came %d times", len(r.Metrics))
	}
	got := map[string]string{}
	for _, m := range r.Metrics[0].ResourceMetrics[0].ScopeMetrics[0].Metrics {
		for _, p := range append(m.GetGauge().GetDataPoints(), m.GetSum().GetDataPoints()...) {
			got[fmt.Sprint(m.Name, receiver.ByKey(p.Attributes))] = fmt.Sprint(p.GetAsInt())
		}
		for _, p := range m.GetHistogram().GetDataPoints() {
			got[m.Name] = fmt.Sprint(p.Count, *p.Sum, p.ExplicitBounds, p.BucketCounts, p.StartTimeUnixNano/1e9, p.TimeUnixNano/1e9)
		}
	}
	for name, want := range map[string]string{
		"gostap_global_n" + fmt.Sprint(map[string]string{"key1": "dd", "key2": "-1"}): fmt.Sprint(1<<60 + 1),
		"gostap_global_who_infomap[value:dd]":                                         "1",
		"gostap_global_sizes":                                                         "8 33 [1 3 7] [3 0 5 0] 1000 2000",
		"gostap_global_times":                                                         "8 33 [] [8] 1000 2000",
		"gostap_global_sizes_maximummap[]":                                            "7",
		"gostap_records_totalmap[]":                                                   "12",
		"gostap_probe_hits_totalmap[at:x.stp:1:1 probe:timer.s(1)]":                   "42",
		"gostap_session_infomap[module:m script:x.stp]":                               "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, not %s", name, got[name], want)
		}
	}

	if len(r.Profiles) != 1 {
		t.Fatalf("stacks came %d times", len(r.Profiles))
	}
	d, p := r.Profiles[0].Dictionary, r.Profiles[0].ResourceProfiles[0].ScopeProfiles[0].Profiles[0]
	if unit := d.StringTable[p.SampleType.TypeStrindex] + " " + d.StringTable[p.SampleType.UnitStrindex]; unit != "samples count" || len(p.ProfileId) != 16 {
		t.Errorf("%s, %x", unit, p.ProfileId)
	}
	shown := ""
	for _, sample := range p.Samples {
		l := d.LocationTable[d.StackTable[sample.StackIndex].LocationIndices[0]] // the innermost frame
		shown += fmt.Sprintln(receiver.Stack(d, sample), d.StringTable[d.MappingTable[l.MappingIndex].FilenameStrindex],
			d.AttributeTable[l.AttributeIndices[0]].Value.GetStringValue(), sample.Values)
	}
	if shown != "[work] /bin/prog native [10]\n[work vfs_read] kernel kernel [30]\n" {
		t.Error(shown)
	}
}

// Data are sent by https to a receiver whose certificate the environment's authorities have signed;
// otherwise nothing is sent.
func TestTLS(t *testing.T) {
	r := newTLSReceiver(t)
	s := start(t, r.URL+"/")
	s.Event(live.Event{Text: "x"})
	if missing := s.Close(stacks()); missing != "" || len(r.Records()) != 1 {
		t.Errorf("%d events; %s", len(r.Records()), missing)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "")
	s = start(t, r.URL)
	s.Event(live.Event{Text: "x"})
	if missing := s.Close(&profile.Profile{}); !strings.HasPrefix(missing, "not sent: 1 of 1 events: ") || !strings.Contains(missing, "certificate") {
		t.Error(missing)
	}
}

// A receiver that is missing or does not respond does not delay the session, and its end by a few
// seconds; unsent data are counted.
func TestNobody(t *testing.T) {
	hang := make(chan struct{})
	slow := newReceiver(t, func(_ http.ResponseWriter, r *http.Request) bool {
		<-hang
		return false
	})
	defer close(hang)
	gone := newReceiver(t, nil)
	gone.Close()
	for _, c := range []struct {
		what, at string
		patience time.Duration
	}{{"slow", slow.URL, flushTime}, {"gone", gone.URL, 0}} {
		s := start(t, c.at)
		end := s.Watch(fakeSession{"dd"})
		began := time.Now()
		const events = 100000
		for range events {
			s.Event(live.Event{Text: "x"})
		}
		if d := time.Since(began); d > flushTime { // each signal alone would take as long
			t.Errorf("%s: %d events took %v", c.what, events, d)
		}
		end()
		began = time.Now()
		missing := s.Close(stacks())
		if d := time.Since(began); d > c.patience+2*time.Second {
			t.Errorf("%s: the end took %v", c.what, d)
		}
		if !strings.HasPrefix(missing, "not sent: 100000 of 100000 events, 1 of 1 looks at globals and probes, 40 of 40 samples of stacks: ") {
			t.Errorf("%s: %s", c.what, missing)
		}
	}
}

// A request to an overloaded receiver is retried; refused and rejected data are counted.
func TestRefused(t *testing.T) {
	var asked atomic.Int64
	busy := newReceiver(t, func(w http.ResponseWriter, r *http.Request) bool {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return false
		}
		return true
	})
	s := start(t, busy.URL)
	s.Event(live.Event{Text: "x"})
	for end := time.Now().Add(10 * time.Second); len(busy.Records()) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if missing := s.Close(&profile.Profile{}); missing != "" || asked.Load() != 2 {
		t.Errorf("asked %d times; %s", asked.Load(), missing)
	}

	choosy := newReceiver(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/logs" {
			http.Error(w, "no profiles\x1b here", http.StatusNotFound)
			return false
		}
		text, _ := proto.Marshal(&collector.ExportLogsServiceResponse{PartialSuccess: &collector.ExportLogsPartialSuccess{RejectedLogRecords: 1, ErrorMessage: "too old"}})
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(text)
		return false
	})
	s = start(t, choosy.URL)
	s.Event(live.Event{Text: "x"})
	s.Event(live.Event{Text: "y"})
	missing := s.Close(stacks())
	if want := "not sent: 1 of 2 events, 40 of 40 samples of stacks: " + choosy.URL + `/v1development/profiles answers 404 Not Found: no profiles\x1b here`; missing != want {
		t.Errorf("%s\nnot %s", missing, want)
	}
}

// Invalid endpoints and variables are rejected before anything runs.
func TestCheck(t *testing.T) {
	for _, endpoint := range []string{"localhost:4318", "grpc://localhost:4317", "http://", "http://a/?b", ""} {
		if err := Check(endpoint); err == nil || !strings.Contains(err.Error(), "--otlp "+endpoint+": write it") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS": "key", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT": "10s", "OTEL_EXPORTER_OTLP_COMPRESSION": "zip", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nonexistent",
		"OTEL_RESOURCE_ATTRIBUTES": "a",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := Start(Options{Endpoint: "http://localhost:4318"})
			if err == nil || !strings.HasPrefix(err.Error(), name+": ") {
				t.Error(err)
			}
		})
	}
}

// FuzzNames uses any bytes as names: all received strings are printable and valid UTF-8.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"\x1b]0;title\x07", "\xff\xfe", "a\nb\rc\td", "\u202egnp.exe", "\u2028", ""} {
		f.Add(s)
	}
	check := func(t *testing.T, s string, but string) {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(but, r) }) {
			t.Errorf("%q", s)
		}
	}
	f.Fuzz(func(t *testing.T, name string) {
		r := recordOf(&live.Event{Text: name, Probe: name, Stack: name})
		check(t, anyValue(r.Body()).GetStringValue(), "\n\t")
		w := &watcher{tally: &tally{}, session: fakeSession{name}}
		scopes, err := w.Produce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range scopes[0].Metrics {
			message := metric(m)
			for _, p := range append(message.GetGauge().GetDataPoints(), message.GetSum().GetDataPoints()...) {
				for _, kv := range p.Attributes {
					check(t, kv.Value.GetStringValue(), "")
				}
			}
			if _, err := proto.Marshal(message); err != nil {
				t.Error(err)
			}
		}
		p := &profile.Profile{}
		p.Leaf([]profile.Frame{{Name: profile.Clean(name), Module: name}}).Self = 1
		request := requestOf(p, nil, time.Now(), time.Now())
		for _, s := range request.Dictionary.StringTable {
			if !utf8.ValidString(s) || profile.Clean(s) != s {
				t.Errorf("%q", s)
			}
		}
		if _, err := proto.Marshal(request); err != nil {
			t.Error(err)
		}
	})
}
