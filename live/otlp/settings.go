// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pkg/errors"
)

// settings are the parameters of a signal's transport: OpenTelemetry's environment variables, by
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/.
type settings struct {
	header   http.Header
	timeout  time.Duration // of a request
	compress bool
	tls      *tls.Config
}

// defaultTimeout is the default of OTEL_EXPORTER_OTLP_TIMEOUT.
const defaultTimeout = 10 * time.Second

// readSettings reads the settings of a signal: METRICS, LOGS or PROFILES.
func readSettings(signal string) (s settings, err error) {
	s = settings{header: http.Header{}, timeout: defaultTimeout, tls: &tls.Config{MinVersion: tls.VersionTLS12}}
	for _, v := range []struct {
		of   string
		take func(string) error
	}{{"HEADERS", s.takeHeaders}, {"TIMEOUT", s.takeTimeout}, {"COMPRESSION", s.takeCompression}, {"CERTIFICATE", s.takeAuthorities}} {
		if name, value := setting(signal, v.of); value != "" {
			if err := v.take(value); err != nil {
				return s, errors.Wrap(err, name)
			}
		}
	}
	name, cert := setting(signal, "CLIENT_CERTIFICATE")
	if _, key := setting(signal, "CLIENT_KEY"); cert != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return s, errors.Wrap(err, name)
		}
		s.tls.Certificates = []tls.Certificate{pair}
	}
	return s, nil
}

// setting returns the variable for the signal or, if it is not set, that for all signals.
func setting(signal, of string) (name, value string) {
	name = "OTEL_EXPORTER_OTLP_" + signal + "_" + of
	if value = os.Getenv(name); value == "" {
		name = "OTEL_EXPORTER_OTLP_" + of
		value = os.Getenv(name)
	}
	return name, value
}

// takeHeaders parses name=value,name=value, with URL-encoded values.
func (s *settings) takeHeaders(list string) error {
	for _, header := range strings.Split(list, ",") {
		name, value, found := strings.Cut(header, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !isToken(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return errors.Errorf("write it NAME=VALUE,NAME=VALUE, with %%XX for what is no letter, digit or sign (%q is wrong)", name)
		}
		s.header.Set(name, value)
	}
	return nil
}

// isToken reports whether s is valid as a header's name.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

func (s *settings) takeTimeout(text string) error {
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 1 {
		return errors.Errorf("%q is no number of milliseconds", text)
	}
	s.timeout = time.Duration(ms) * time.Millisecond
	return nil
}

func (s *settings) takeCompression(text string) error {
	if text != "gzip" && text != "none" {
		return errors.Errorf("%q: gzip or none", text)
	}
	s.compress = text == "gzip"
	return nil
}

// takeAuthorities reads the certificates of the authorities that sign receivers' certificates.
func (s *settings) takeAuthorities(path string) error {
	pem, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.tls.RootCAs = x509.NewCertPool()
	if !s.tls.RootCAs.AppendCertsFromPEM(pem) {
		return errors.Errorf("%s has no certificate in PEM form", path)
	}
	return nil
}
