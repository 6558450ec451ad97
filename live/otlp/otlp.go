// SPDX-License-Identifier: GPL-2.0-or-later

// Package otlp sends a session's data to an OpenTelemetry receiver: its globals and probes as metrics,
// the output of its handlers as logs, and its stacks as profiles.
//
// Metrics and logs are collected, batched and timed by OpenTelemetry's SDK. Its own HTTP exporters are
// not used: they import go.opentelemetry.io/proto/otlp, which imports gRPC and adds 2.4 MB to the
// program, whose limit is 25. The exporters here use the messages of
// go.opentelemetry.io/proto/slim/otlp, which are the same without gRPC.
package otlp

import (
	"context"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/pkg/errors"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"gostap/live"
	"gostap/output/profile"
)

// Options are the parameters of a Sender.
type Options struct {
	Endpoint string // http://HOST:PORT or https://HOST:PORT, with a path if the receiver has one
	Script   string
	Version  string // gostap's
	// Stacks returns the stacks of the session since the previous call.
	Stacks func() *profile.Profile
	// Warn is called, once for each signal, if data can't be sent while the session runs.
	Warn func(string)
}

// A Sender sends the data of one session.
type Sender struct {
	from     *resource.Resource
	logs     *sdklog.LoggerProvider
	logger   log.Logger
	metrics  *sdkmetric.MeterProvider // nil before the session has started
	watcher  *watcher
	exporter *metricExporter
	profiles *profileSender
	events   *tally
	closing  chan struct{} // closed when there are to be no more retries
	stop     func()        // ends the sending of profiles
	stopped  sync.WaitGroup
}

// flushTime is the time that the end of a session may wait for the receiver.
const flushTime = 5 * time.Second

// Check returns an error if an endpoint, or the environment's settings for it, are invalid.
func Check(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.Errorf("--otlp %s: write it http://HOST:PORT or https://HOST:PORT; receivers listen at port 4318", endpoint)
	}
	for _, signal := range []string{"METRICS", "LOGS", "PROFILES"} {
		if _, err := readSettings(signal); err != nil {
			return err
		}
	}
	return nil
}

// Start starts to send. Only Close waits for the receiver.
func Start(o Options) (*Sender, error) {
	if err := Check(o.Endpoint); err != nil {
		return nil, err
	}
	// Discard the SDK's own messages: failures are counted here.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	s := &Sender{closing: make(chan struct{})}
	var err error
	if s.from, err = describe(o); err != nil {
		return nil, errors.Errorf("OTEL_RESOURCE_ATTRIBUTES: %v", err)
	}
	s.events = &tally{what: "events", warn: o.Warn}
	client := func(signal, path string) *client {
		settings, settingsErr := readSettings(signal)
		if settingsErr != nil {
			err = settingsErr
		}
		return newClient(strings.TrimSuffix(o.Endpoint, "/")+"/"+path, settings, s.closing)
	}
	s.logs = newLogs(&logExporter{client: client("LOGS", "v1/logs"), tally: s.events, from: s.from}, s.from)
	s.logger = s.logs.Logger(scope.Name)
	s.watcher = &watcher{tally: &tally{what: "looks at globals and probes", warn: o.Warn}}
	s.exporter = &metricExporter{client: client("METRICS", "v1/metrics"), tally: s.watcher.tally}
	s.profiles = &profileSender{client: client("PROFILES", profilesPath), tally: &tally{what: "samples of stacks", warn: o.Warn}, from: s.from, take: o.Stacks, since: time.Now()}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.stopped.Go(func() { s.profiles.run(ctx) })
	return s, nil
}

// describe returns the resource: the session that sends. The environment's OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES take precedence.
func describe(o Options) (*resource.Resource, error) {
	return resource.New(context.Background(), resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(
		attribute.String("service.name", "gostap"), attribute.String("service.version", o.Version),
		attribute.String("gostap.script", live.Label(o.Script)), attribute.Int("process.pid", os.Getpid()),
	), resource.WithFromEnv())
}

// Event queues the output of a handler.
func (s *Sender) Event(e live.Event) {
	s.events.add(1)
	s.logger.Emit(context.Background(), recordOf(&e))
}

// Watch starts to send the session's metrics; the function that it returns is called at the session's
// end.
func (s *Sender) Watch(session live.Session) (end func()) {
	s.watcher.session = session
	s.metrics = newMetrics(s.exporter, s.from, s.watcher)
	return s.watcher.end
}

// Close sends the remaining data and the stacks in last, for at most flushTime. It returns a
// description of the data that have not been sent; "" if there are none.
func (s *Sender) Close(last *profile.Profile) string {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	tallies := []*tally{s.events, s.watcher.tally, s.profiles.tally}
	for _, t := range tallies {
		t.end()
	}
	close(s.closing)
	s.stop()
	var all sync.WaitGroup
	all.Go(func() { _ = s.logs.Shutdown(ctx) })
	all.Go(func() {
		s.stopped.Wait()
		s.profiles.send(ctx, last)
	})
	if s.metrics != nil {
		all.Go(func() { _ = s.metrics.Shutdown(ctx) })
	}
	all.Wait()
	var missing []string
	var why error
	for _, t := range tallies {
		if m := t.missing(); m != "" {
			missing = append(missing, m)
			if t.failed != nil {
				why = t.failed
			}
		}
	}
	if missing == nil {
		return ""
	}
	text := "not sent: " + strings.Join(missing, ", ")
	if why != nil {
		text += ": " + why.Error()
	}
	return text
}
