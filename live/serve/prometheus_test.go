// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gostap/live"
)

// scraping is Prometheus's configuration, with the address, the folder of certificates, and the token.
const scraping = `
global: { scrape_interval: 200ms }
scrape_configs:
- job_name: gostap
  scheme: https
  static_configs: [ { targets: [ %[1]q ] } ]
  tls_config: { ca_file: %[2]s/server.pem, cert_file: %[2]s/client.pem, key_file: %[2]s/client.key }
  authorization: { credentials: %[3]q }
`

// Prometheus scrapes a session by https with a client's certificate and a token, and answers with the
// session's numbers. Nobody without the certificate, or without the token, gets any.
func TestPrometheus(t *testing.T) {
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no prometheus: run tests/setup test")
	}
	const token = "0123456789abcdef"
	dir := t.TempDir()
	for _, name := range []string{"server", "client"} {
		out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
			"-subj", "/CN="+name, "-addext", "subjectAltName=IP:127.0.0.1",
			"-keyout", filepath.Join(dir, name+".key"), "-out", filepath.Join(dir, name+".pem")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	tls := filepath.Join(dir, "server.pem") + "," + filepath.Join(dir, "server.key") + "," + filepath.Join(dir, "client.pem")
	s := start(t, Options{TLS: tls, TokenFile: writeToken(t, token)}, newFakeSession(), &live.Tail{})
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	for _, args := range [][]string{{}, {"-H", "Authorization: Bearer " + token}, {"--cert", filepath.Join(dir, "client.pem"), "--key", filepath.Join(dir, "client.key")}} {
		out, err := exec.Command("curl", append(args, "-sSf", "--cacert", filepath.Join(dir, "server.pem"), s.URL()+"metrics")...).CombinedOutput()
		if err == nil {
			t.Errorf("curl %q was answered: %.100s", args, out)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("on the session's terminal: %s", logged.String())
	}

	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, scraping, s.listener.Addr().String(), dir, token), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for query, want := range map[string]string{
		`up{job="gostap"}`: "1", `gostap_global_n`: "77", `gostap_global_by{key1="dd",key2="2"}`: "5", `gostap_probe_hits_total`: "42",
		`gostap_global_sizes_count`: "8", `gostap_global_sizes_bucket{le="3"}`: "3", `histogram_quantile(1, gostap_global_sizes_bucket)`: "7",
		`count(gostap_global_by{key1=~".*<img src=x onerror=.*"})`: "1",
	} {
		have := ""
		for end := time.Now().Add(time.Minute); have != want && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			have = ask(address, query)
		}
		if have != want {
			text, _ := os.ReadFile(said.Name())
			t.Fatalf("%s is %q, not %q:\n%s", query, have, want, text)
		}
	}
}

// ask returns the value of a query that has one result.
func ask(address, query string) string {
	answer, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	var found struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal(text, &found); err != nil || len(found.Data.Result) != 1 {
		return string(text)
	}
	return fmt.Sprint(found.Data.Result[0].Value[1])
}
