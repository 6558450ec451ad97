// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"github.com/pkg/errors"
)

// Options are the server's address and its clients' credentials.
type Options struct {
	Address   string // HOST:PORT; without HOST, the loopback address
	TokenFile string // a file with the token that clients send as "Authorization: Bearer TOKEN"; "": none
	TLS       string // CERT,KEY or CERT,KEY,CLIENTS: PEM files of the server's certificate, its key, and the authority of clients' certificates; "": none
}

// An access decides which clients are served.
type access struct {
	loopback bool
	token    string // "": none
	tls      *tls.Config
}

// minTokenLength is the minimal length of a token in characters.
const minTokenLength = 16

// Check returns an error if options are invalid, and completes the address.
func (o *Options) Check() error {
	_, err := o.access()
	return err
}

func (o *Options) access() (access, error) {
	var a access
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return a, errors.Errorf("--serve %s: write it HOST:PORT or :PORT", o.Address)
	}
	if host == "" {
		host = "localhost"
		o.Address = net.JoinHostPort("127.0.0.1", port)
	}
	ip, err := netip.ParseAddr(host)
	a.loopback = host == "localhost" || err == nil && ip.IsLoopback()
	if o.TokenFile != "" {
		if a.token, err = readToken(o.TokenFile); err != nil {
			return a, err
		}
	}
	if o.TLS != "" {
		if a.tls, err = readTLS(o.TLS); err != nil {
			return a, err
		}
	}
	if !a.loopback && a.token == "" && !a.clientCertificates() {
		return a, errors.Errorf("--serve %s: whoever reaches that address would see the session: give --serve-token FILE or --serve-tls CERT,KEY,CLIENTS, or serve on the loopback, as :%s", o.Address, port)
	}
	return a, nil
}

func (a *access) clientCertificates() bool { return a.tls != nil && a.tls.ClientCAs != nil }

func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", errors.Wrap(err, "--serve-token")
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minTokenLength || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.Errorf("--serve-token %s: it holds one token, of at least %d letters, digits and signs", path, minTokenLength)
	}
	return token, nil
}

func readTLS(files string) (*tls.Config, error) {
	list := strings.Split(files, ",")
	if len(list) < 2 || len(list) > 3 {
		return nil, errors.Errorf("--serve-tls %s: write it CERT,KEY or CERT,KEY,CLIENTS", files)
	}
	cert, err := tls.LoadX509KeyPair(list[0], list[1])
	if err != nil {
		return nil, errors.Wrap(err, "--serve-tls")
	}
	c := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if len(list) == 3 {
		pem, err := os.ReadFile(list[2])
		if err != nil {
			return nil, errors.Wrap(err, "--serve-tls")
		}
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !c.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, errors.Errorf("--serve-tls: %s has no certificate in PEM form", list[2])
		}
	}
	return c, nil
}

// cookie is sent by a browser instead of the header, after it has opened /?token=TOKEN.
const cookie = "gostap_token"

// guard rejects requests of clients without access.
func (a *access) guard(next http.Handler) http.Handler {
	// Reject requests by pages of other sites, which could reset a session with the browser's
	// credentials.
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		given := r.URL.Query().Get("token")
		switch {
		case a.loopback && a.token == "" && !loopbackHost(r.Host):
			// The name is not one of this machine's, although it resolves to it (DNS rebinding).
			http.Error(w, "this is served to the loopback alone", http.StatusForbidden)
		case r.Method == http.MethodGet && r.URL.Path == "/" && given != "" && a.knows(given):
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: given, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: a.tls != nil})
			http.Redirect(w, r, "/", http.StatusSeeOther)
		case a.token != "" && !a.knows(tokenOf(r)):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is wanted: Authorization: Bearer TOKEN, or /?token=TOKEN in a browser", http.StatusUnauthorized)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !a.mayControl():
			http.Error(w, "resetting and switching takes --serve-token or clients' certificates", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// mayControl reports whether a client that has access may change the session, too: this requires
// authentication.
func (a *access) mayControl() bool { return a.token != "" || a.clientCertificates() }

func (a *access) knows(token string) bool {
	return a.token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(a.token)) == 1
}

func tokenOf(r *http.Request) string {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	if c, err := r.Cookie(cookie); err == nil {
		return c.Value
	}
	return ""
}

func loopbackHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && ip.IsLoopback()
}
