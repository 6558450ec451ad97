// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/lazyregexp"
)

// A Signer signs modules, for kernels that reject others.
type Signer struct {
	Key  string // the file of the private key, or a pkcs11: URI; $KBUILD_SIGN_PIN is its passphrase
	Cert string // the file of the X.509 certificate
}

// state identifies the key.
func (s *Signer) state() string {
	if s == nil {
		return ""
	}
	return s.Key + fileKey(s.Key) + fileKey(s.Cert)
}

var signatureHash = lazyregexp.MustCompile(`(?m)^CONFIG_MODULE_SIG_HASH="?(\w+)"?$`)

// sign signs a module as kbuild does, by the program that comes with the kernel's headers. It gets the files of key and
// certificate opened, as their names may mean others where it runs.
func (t *target) sign(ctx context.Context, s *Signer, module string) error {
	if s == nil {
		return nil
	}
	program := filepath.Join(t.build, "scripts/sign-file")
	config, err := os.ReadFile(filepath.Join(t.build, "include/config/auto.conf"))
	if err != nil {
		return errors.WithStack(err)
	}
	hash := signatureHash().FindSubmatch(config)
	if hash == nil {
		return errors.Errorf("kernel %s knows no signatures of modules (CONFIG_MODULE_SIG): leave --sign out", t.Release)
	}
	if _, err := os.Stat(program); err != nil {
		return missingHeaders(t.Release, program)
	}
	cmd := t.Command(ctx, program, string(hash[1]))
	for _, name := range []string{s.Key, s.Cert} {
		if !strings.HasPrefix(name, "pkcs11:") {
			f, err := os.Open(name)
			if err != nil {
				return errors.Wrap(err, "--sign")
			}
			defer f.Close()
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
			name = "/proc/self/fd/" + strconv.Itoa(2+len(cmd.ExtraFiles))
		}
		cmd.Args = append(cmd.Args, name)
	}
	cmd.Args = append(cmd.Args, module)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Errorf("--sign: %s and %s do not sign the module (%v):\n%s", s.Key, s.Cert, err, out)
	}
	return nil
}
