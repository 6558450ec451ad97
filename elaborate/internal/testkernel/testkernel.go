// SPDX-License-Identifier: GPL-2.0-or-later

// Package testkernel names the kernels that tests run on.
package testkernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Releases returns the kernels that GOSTAP_KERNELS names, else an installed one
// of each series that tests want. One that is missing fails the test.
func Releases(t testing.TB) []string {
	t.Helper()
	if list := strings.Fields(os.Getenv("GOSTAP_KERNELS")); len(list) > 0 {
		return list
	}
	var list []string
	for _, series := range []string{"6.1", "6.12"} {
		found, _ := filepath.Glob("/boot/vmlinuz-" + series + ".*-cloud-amd64")
		if len(found) == 0 {
			t.Fatalf("no kernel %s is installed: apt install 'linux-image-%s.*-cloud-amd64'", series, series)
		}
		list = append(list, strings.TrimPrefix(found[len(found)-1], "/boot/vmlinuz-"))
	}
	return list
}
