// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gostap/live"
)

const hostile = `</script><img src=x onerror="document.title='run'">`

func number(n int64) live.Value { return live.Value{Kind: live.Long, Number: n} }
func text(s string) live.Value  { return live.Value{Kind: live.String, Text: s} }

// fakeSession is a session with known values.
type fakeSession struct {
	resets  int
	off     map[int]bool
	mu      sync.Mutex
	readers int
	key     string
}

func (s *fakeSession) Snapshot() (*live.Snapshot, error) {
	s.mu.Lock()
	s.readers++
	s.mu.Unlock()
	buckets := make([]int64, 128)
	buckets[65], buckets[67] = 3, 5 // three 1s, five of 4 to 7
	least, most := int64(1), int64(7)
	stats := live.Value{Kind: live.Statistics, Stats: &live.Stats{Count: 8, Sum: 33, Min: &least, Max: &most, Hists: [][]int64{buckets}}}
	return &live.Snapshot{Time: time.Now(), State: live.State{Module: "m", Script: "x.stp", Running: true, Records: 12, Started: time.Unix(1000, 0)},
		Probes: []live.Probe{{Name: "timer.s(1)", At: "x.stp:1:1", Points: 1, On: !s.off[0], Hits: 42, Cycles: 420, Min: 5, Avg: 10, Max: 20}},
		Globals: []live.Global{
			{Name: "n", Kind: live.Long, Rows: []live.Row{{Value: number(77)}}},
			{Name: "who", Kind: live.String, Rows: []live.Row{{Value: text(s.key)}}},
			{Name: "by", Kind: live.Long, Keys: []string{live.String, live.Long}, Rows: []live.Row{
				{Keys: []live.Value{text(s.key), number(-1)}, Value: number(1 << 60)}, {Keys: []live.Value{text("dd"), number(2)}, Value: number(5)}}},
			{Name: "sizes", Kind: live.Statistics, Keys: []string{live.String}, Hists: []live.Hist{{}}, Rows: []live.Row{{Keys: []live.Value{text("dd")}, Value: stats}}},
		}}, nil
}

// asked is the number of snapshots that have been taken.
func (s *fakeSession) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers
}

func (s *fakeSession) Reset() error { s.resets++; return nil }

func (s *fakeSession) Switch(probe int, on bool) error { s.off[probe] = !on; return nil }

func newFakeSession() *fakeSession { return &fakeSession{off: map[int]bool{}, key: hostile} }

func start(t *testing.T, o Options, session live.Session, tail *live.Tail) *Server {
	t.Helper()
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	s, err := Listen(o, tail)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Watch(session)
	return s
}

// get sends a request, and checks the status of the response.
func get(t *testing.T, method, url, token string, status int) string {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		t.Errorf("%s %s: %s, wanted %d: %s %v", method, url, answer.Status, status, body, err)
	}
	return string(body)
}

func TestForms(t *testing.T) {
	session := newFakeSession()
	s := start(t, Options{}, session, &live.Tail{})
	if got := get(t, "GET", s.URL()+"healthz", "", 200); got != "ok\n" {
		t.Errorf("healthz: %q", got)
	}
	var snapshot struct {
		Globals []struct {
			Name string
			Rows []struct{ Value any }
		}
	}
	if err := json.Unmarshal([]byte(get(t, "GET", s.URL()+"session.json", "", 200)), &snapshot); err != nil {
		t.Fatal(err)
	}
	if v := snapshot.Globals[0].Rows[0].Value; v != 77.0 {
		t.Errorf("n is %v", v)
	}
	if v := snapshot.Globals[2].Rows[0].Value; v != "1152921504606846976" {
		t.Errorf("a number that JavaScript would round is %v", v)
	}
	metrics := get(t, "GET", s.URL()+"metrics", "", 200)
	for _, line := range []string{
		`gostap_global_n 77`, `gostap_global_by{key1="dd",key2="2"} 5`,
		`gostap_global_by{key1="</script><img src=x onerror=\"document.title='run'\">",key2="-1"} 1.152921504606847e+18`,
		`gostap_global_sizes_bucket{key1="dd",le="1"} 3`, `gostap_global_sizes_bucket{key1="dd",le="3"} 3`, `gostap_global_sizes_bucket{key1="dd",le="7"} 8`,
		`gostap_global_sizes_bucket{key1="dd",le="+Inf"} 8`, `gostap_global_sizes_sum{key1="dd"} 33`, `gostap_global_sizes_count{key1="dd"} 8`,
		`gostap_global_sizes_minimum{key1="dd"} 1`, `gostap_probe_hits_total{at="x.stp:1:1",probe="timer.s(1)"} 42`, `gostap_records_total 12`,
	} {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("there is no %s in\n%s", line, metrics)
		}
	}
	if n := session.asked(); n != 1 {
		t.Errorf("the session was read %d times for three clients at a time", n)
	}
	// Without a token, a client may only read.
	get(t, "POST", s.URL()+"reset", "", 403)
	if session.resets != 0 {
		t.Error("somebody could reset the session")
	}
	checkMetrics(t, metrics)
}

// checkMetrics checks the metrics with promtool, if that is installed.
func checkMetrics(t *testing.T, metrics string) {
	t.Helper()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("there is no promtool: apt-get install prometheus")
		return
	}
	cmd := exec.Command(promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(metrics)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v: %s", err, out)
	}
}

func writeToken(t *testing.T, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestToken(t *testing.T) {
	const token = "0123456789abcdef"
	session := newFakeSession()
	s := start(t, Options{TokenFile: writeToken(t, token)}, session, &live.Tail{})
	get(t, "GET", s.URL()+"session.json", "", 401)
	get(t, "GET", s.URL()+"session.json", "0123456789abcdeg", 401)
	get(t, "GET", s.URL()+"?token=wrong", "", 401)
	get(t, "GET", s.URL()+"session.json", token, 200)
	get(t, "POST", s.URL()+"reset", "", 401)
	get(t, "POST", s.URL()+"reset", token, 204)
	get(t, "POST", s.URL()+"probes/0/off", token, 204)
	get(t, "POST", s.URL()+"probes/x/off", token, 400)
	if session.resets != 1 || !session.off[0] {
		t.Errorf("%d resets, off: %v", session.resets, session.off)
	}
}

func TestAccess(t *testing.T) {
	short := writeToken(t, "short")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Address: "0.0.0.0:80"}, "whoever reaches that address would see the session"},
		{Options{Address: "example.org:80"}, "whoever reaches that address would see the session"},
		{Options{Address: "80"}, "write it HOST:PORT"},
		{Options{Address: ":80", TokenFile: short}, "at least 16"},
		{Options{Address: ":80", TokenFile: "/nonexistent"}, "no such file"},
		{Options{Address: ":80", TLS: "one"}, "write it CERT,KEY"},
		{Options{Address: ":80"}, ""},
		{Options{Address: "[::1]:80"}, ""},
		{Options{Address: "localhost:80"}, ""},
		{Options{Address: "0.0.0.0:80", TokenFile: writeToken(t, "0123456789abcdef")}, ""},
	} {
		err := c.o.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, wanted %q", c.o, err, c.want)
		}
	}
	// A page of another site reads the session by a name of its own for this machine (DNS rebinding).
	s := start(t, Options{}, newFakeSession(), &live.Tail{})
	r, _ := http.NewRequest("GET", s.URL()+"session.json", nil)
	r.Host = "evil.example"
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("%v %v", answer, err)
	}
}

// Clients that do not read, or disconnect, delay neither the session's end nor other clients.
func TestSlowClients(t *testing.T) {
	tail := &live.Tail{}
	tail.Write(bytes.Repeat([]byte("much output\n"), 10000))
	s, err := Listen(Options{Address: "127.0.0.1:0"}, tail)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	end := s.Watch(newFakeSession())
	for range maxClients {
		conn, err := net.Dial("tcp", s.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		// After the head of the response, the client counts as one that receives events.
		if _, err := conn.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
	}
	get(t, "GET", s.URL()+"events", "", 503)
	get(t, "GET", s.URL()+"session.json", "", 200)
	ended := make(chan struct{})
	go func() { end(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("clients keep the session from its end")
	}
}
