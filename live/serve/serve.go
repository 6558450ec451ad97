// SPDX-License-Identifier: GPL-2.0-or-later

// Package serve serves a session by HTTP: as a page, as JSON, and as metrics for Prometheus.
package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"embed"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gostap/live"
	"gostap/output/page"
)

//go:embed page.html serve.js
var files embed.FS

// pageText is the HTML of the page.
var pageText = sync.OnceValue(func() []byte {
	var text bytes.Buffer
	if err := page.Parse(files, "page.html").Execute(&text, nil); err != nil {
		panic(err) // the template is constant
	}
	return text.Bytes()
})

// A Server serves one session.
type Server struct {
	access   access
	listener net.Listener
	http     *http.Server
	over     chan struct{} // closed when the session has ended
	tail     *live.Tail

	mu      sync.Mutex   // of the following fields; held while a snapshot is taken
	session live.Session // nil before it has started
	last    *live.Snapshot
	lastErr error
	taken   time.Time
}

// maxAge is the maximal age of a snapshot that is used for another client: many clients cost the session
// as much as one.
const maxAge = 500 * time.Millisecond

// maxClients is the maximal number of clients that receive events.
const maxClients = 32

// Listen starts to serve at an address. There is no session before Watch is called. The script's output
// is read from tail.
func Listen(o Options, tail *live.Tail) (*Server, error) {
	access, err := o.access()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, errors.Wrap(err, "--serve")
	}
	if access.tls != nil {
		listener = tls.NewListener(listener, access.tls)
	}
	s := &Server{access: access, listener: listener, over: make(chan struct{}), tail: tail}
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0)} // what clients do wrong is no message of the session
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

// URL is the URL of the page.
func (s *Server) URL() string {
	scheme := "http://"
	if s.access.tls != nil {
		scheme = "https://"
	}
	return scheme + s.listener.Addr().String() + "/"
}

// Watch sets the server's session. The function that it returns is called at the session's end; it
// waits for the responses to open requests.
func (s *Server) Watch(session live.Session) (end func()) {
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.last, s.lastErr = session.Snapshot()
		s.session, s.taken = nil, time.Now()
		s.mu.Unlock()
		close(s.over)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = s.http.Shutdown(ctx)
	}
}

// Close stops the server at once.
func (s *Server) Close() { _ = s.http.Close() }

// errNone is the error if there is no session.
var errNone = errors.New("the session has not begun, or is over")

// snapshot returns a snapshot that is at most maxAge old.
func (s *Server) snapshot() (*live.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && time.Since(s.taken) >= maxAge {
		s.last, s.lastErr = s.session.Snapshot()
		s.taken = time.Now()
	}
	if s.last == nil && s.lastErr == nil {
		return nil, errNone
	}
	return s.last, s.lastErr
}

// running returns the session, for a change.
func (s *Server) running() (live.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = time.Time{} // so that the next snapshot includes the change
	if s.session == nil {
		return nil, errNone
	}
	return s.session, nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /session.json", s.json)
	mux.HandleFunc("GET /events", s.events(make(chan struct{}, maxClients)))
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("POST /reset", s.reset)
	mux.HandleFunc("POST /probes/{probe}/{state}", s.switchProbe)
	return s.access.guard(mux)
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(pageText())
}

func (s *Server) json(w http.ResponseWriter, _ *http.Request) {
	snapshot, err := s.snapshot()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(snapshot)
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	running := s.session != nil
	s.mu.Unlock()
	if !running {
		http.Error(w, errNone.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

func (s *Server) reset(w http.ResponseWriter, _ *http.Request) {
	s.act(w, func(session live.Session) error { return session.Reset() })
}

func (s *Server) switchProbe(w http.ResponseWriter, r *http.Request) {
	probe, err := strconv.Atoi(r.PathValue("probe"))
	state := r.PathValue("state")
	if err != nil || probe < 0 || state != "on" && state != "off" {
		http.Error(w, "write it /probes/NUMBER/on or /probes/NUMBER/off", http.StatusBadRequest)
		return
	}
	s.act(w, func(session live.Session) error { return session.Switch(probe, state == "on") })
}

func (s *Server) act(w http.ResponseWriter, do func(live.Session) error) {
	session, err := s.running()
	if err == nil {
		err = do(session)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
