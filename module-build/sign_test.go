// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newSigner makes a key, with a passphrase if that is not "", and its certificate.
func newSigner(t *testing.T, passphrase string) *Signer {
	t.Helper()
	dir := t.TempDir()
	s := &Signer{Key: filepath.Join(dir, "key.pem"), Cert: filepath.Join(dir, "cert.der")}
	args := []string{"req", "-new", "-x509", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=test/", "-keyout", s.Key, "-outform", "DER", "-out", s.Cert}
	if passphrase != "" {
		args = append(args, "-passout", "pass:"+passphrase)
	} else {
		args = append(args, "-noenc")
	}
	if out, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
		t.Fatalf("openssl: %v\n%s", err, out)
	}
	return s
}

func TestSign(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	req := testRequest(t, releases(t)[0])
	mark := []byte("~Module signature appended~\n")
	plain := build(t, req)
	seen := map[string]bool{plain.Path: true}
	t.Setenv("KBUILD_SIGN_PIN", "secret")
	for _, passphrase := range []string{"", "secret"} {
		req.Sign = newSigner(t, passphrase)
		signed := build(t, req)
		if seen[signed.Path] {
			t.Errorf("%s is of another key, or of none", signed.Path)
		}
		seen[signed.Path] = true
		module, err := os.ReadFile(signed.Path)
		if err != nil || !bytes.HasSuffix(module, mark) {
			t.Errorf("%s is not signed (%v)", signed.Path, err)
		}
		checkModule(t, signed.Path, req.Name)
		if again := build(t, req); !again.CacheHit || again.Path != signed.Path {
			t.Errorf("built again: %+v", again)
		}
	}
	if module, err := os.ReadFile(plain.Path); err != nil || bytes.HasSuffix(module, mark) {
		t.Errorf("the one without a key is signed, too (%v)", err)
	}
	t.Setenv("KBUILD_SIGN_PIN", "wrong")
	req.Name = "gostap_other"
	if _, err := Build(context.Background(), req); err == nil || !strings.Contains(err.Error(), "do not sign the module") {
		t.Errorf("with a wrong passphrase: %v", err)
	}
}
