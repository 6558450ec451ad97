// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestGuestRefused: modules that the kernel refuses give an error in words.
func TestGuestRefused(t *testing.T) {
	image, err := os.ReadFile(guestModule(t))
	if err != nil {
		t.Fatal(err)
	}
	// The release in vermagic is ignored if symbols have versions; the words behind it are not.
	magic := image[bytes.Index(image, []byte("vermagic=")):]
	copy(magic[bytes.Index(magic, []byte(" SMP ")):], " XXX ")
	old := fmt.Sprintf("%q", kernelRelease())
	other := bytes.Replace(image, []byte(old), fmt.Appendf(nil, "%-*s", len(old), `"9.9.9"`), 1)
	for want, image := range map[string][]byte{
		"the kernel says: version magic":                           image,
		"built for kernel 9.9.9, this is " + kernelRelease() + ":": other,
	} {
		path := t.TempDir() + "/x.ko"
		if err := os.WriteFile(path, image, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Run(context.Background(), Config{Module: path, Timeout: time.Second, Output: io.Discard, Stderr: io.Discard})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	gone(t)
}
