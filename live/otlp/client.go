// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/proto"

	"gostap/live"
)

// A client sends one signal by HTTP, by https://opentelemetry.io/docs/specs/otlp/.
type client struct {
	url      string
	settings settings
	http     *http.Client
	closing  <-chan struct{} // closed when there are to be no more retries
}

// Time between retries, and of all retries together.
const (
	firstWait = time.Second
	longWait  = 16 * time.Second
	longTry   = time.Minute
)

// maxResponse is the number of bytes of a response that are read.
const maxResponse = 64 << 10

func newClient(url string, s settings, closing <-chan struct{}) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = s.tls
	return &client{url: url, settings: s, closing: closing, http: &http.Client{
		Transport: transport,
		Timeout:   s.timeout,
		// Headers may contain secrets for the receiver that the user has named, so redirects are not
		// followed.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// A refusal is a response other than success.
type refusal struct {
	status int
	after  time.Duration // the time before a retry, if the response has one
	text   string
}

func (r *refusal) Error() string { return r.text }

// temporary reports whether to retry.
func (r *refusal) temporary() bool {
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// send sends a message, and decodes the receiver's response into answer. While the receiver can't be
// reached or is overloaded, it retries.
func (c *client) send(ctx context.Context, message, answer proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return errors.WithStack(err)
	}
	if c.settings.compress {
		body = compressed(body)
	}
	ctx, cancel := context.WithTimeout(ctx, longTry)
	defer cancel()
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		err := c.try(ctx, body, answer)
		var refused *refusal
		if err == nil || errors.As(err, &refused) && !refused.temporary() {
			return err
		}
		pause := wait
		if refused != nil && refused.after > 0 {
			pause = refused.after
		}
		select {
		case <-time.After(pause):
		case <-c.closing:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // in memory
	_ = w.Close()
	return b.Bytes()
}

// try sends a request once.
func (c *client) try(ctx context.Context, body []byte, answer proto.Message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return errors.WithStack(err)
	}
	request.Header = c.settings.header.Clone()
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "gostap")
	if c.settings.compress {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return errors.WithStack(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	switch {
	case response.StatusCode < 200 || response.StatusCode > 299:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return &refusal{response.StatusCode, time.Duration(seconds) * time.Second, c.describe(response, text)}
	case err != nil:
		return errors.WithStack(err)
	case response.Header.Get("Content-Type") == "application/x-protobuf":
		return errors.Wrapf(proto.Unmarshal(text, answer), "%s answers something else", request.URL.Redacted())
	}
	return nil
}

// describe returns the text of a response that refuses a request.
func (c *client) describe(r *http.Response, body []byte) string {
	text := fmt.Sprintf("%s answers %s", r.Request.URL.Redacted(), r.Status)
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if line != "" && len(line) < 200 && strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
		text += ": " + line
	}
	return live.Label(text)
}
