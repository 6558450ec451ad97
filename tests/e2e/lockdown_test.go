// SPDX-License-Identifier: GPL-2.0-or-later

package e2e

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/internal/kernels"
	"gostap/tests/guest"
	"gostap/vm"
)

// Debian's package ovmf has a firmware whose variables enable Secure Boot and trust a key in the
// package.
const (
	firmware  = "/usr/share/OVMF/OVMF_CODE_4M.fd"
	variables = "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd"
	snakeKey  = "/usr/share/ovmf/PkKek-1-snakeoil.key" // its passphrase is snakeoil
	snakeCert = "/usr/share/ovmf/PkKek-1-snakeoil.pem"
)

// lockedScripts are the scripts that load only gostap's modules.
const lockedScripts = "signing|hello|vfs-reads|conditions|context|data|errors|json|overload|recorder|registers|rights|slow|stacks|timers|tracepoints"

// TestLockdown runs scripts under Secure Boot, with a kernel that is locked down and signed modules. A
// kernel that trusts only the keys of its own build is locked down without firmware, and must refuse
// the modules. As it takes a boot through firmware, it runs only for kernels in GOSTAP_KERNELS.
func TestLockdown(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	if os.Getenv("GOSTAP_KERNELS") == "" {
		t.Skip("make test-kernels runs this")
	}
	dir := guest.Prepare(t)
	key := filepath.Join(dir, "key.pem")
	guest.Command(t, dir, "openssl", "rsa", "-in", snakeKey, "-passin", "pass:snakeoil", "-out", key)
	writeSigning(t, dir, key)
	for _, release := range guest.Releases(t) {
		t.Run(release, func(t *testing.T) {
			warm(t, dir, release, os.Getenv("GOSTAP_SCRIPTS"))
			kernel := kernels.Find(release)
			cfg := guest.Config{
				Release:    release,
				Dir:        dir,
				Test:       "TestGuest",
				Run:        "signing",
				Env:        []string{"LOCKED=trusting nobody", "LIMIT=" + scriptLimit(t).String()},
				KernelArgs: []string{"lockdown=integrity", "efi=runtime"}, // PREEMPT_RT reads the firmware's keys only with efi=runtime
				Timeout:    25 * time.Minute,
			}
			config, err := os.ReadFile(kernel.Config())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(config), "\nCONFIG_LOAD_UEFI_KEYS=y\n") {
				image := filepath.Join(dir, "vmlinuz-"+release)
				guest.Command(t, dir, "sbsign", "--key", key, "--cert", snakeCert, "--output", image, kernel.Image())
				cfg.UEFI = &vm.UEFI{Code: firmware, Vars: variables, Image: image}
				cfg.Env, cfg.Run = []string{"LOCKED=trusting", "LIMIT=" + scriptLimit(t).String()}, cmp.Or(os.Getenv("GOSTAP_SCRIPTS"), lockedScripts)
			}
			guest.Run(t, cfg)
		})
	}
}

// writeSigning writes dir/signing/gostap, a script that signs the modules that it builds.
func writeSigning(t *testing.T, dir, key string) {
	text := `#!/bin/sh
case $1 in
run | list | attach | stop | fmt | funcs | lines | vars | probe-cache) exec ` + dir + `/gostap "$@" ;;
*) exec ` + dir + `/gostap --sign ` + key + `,` + snakeCert + ` "$@" ;;
esac
`
	if err := os.Mkdir(filepath.Join(dir, "signing"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "signing/gostap"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
