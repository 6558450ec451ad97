// SPDX-License-Identifier: GPL-2.0-or-later

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gostap/vm"
)

// The scripts in docs/FROM-BPFTRACE.md elaborate without a warning on each installed kernel.
func TestFromBpftrace(t *testing.T) {
	bin := build(t)
	page, err := os.ReadFile("../../docs/FROM-BPFTRACE.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(page)) {
		command, found := strings.CutPrefix(line, "# gostap ")
		if !found {
			continue
		}
		lines++
		for _, release := range vm.Releases() {
			cmd := exec.Command("sh", "-c", `"$GOSTAP" -p2 -W -r "$RELEASE" `+command)
			cmd.Env = append(os.Environ(), "GOSTAP="+bin, "RELEASE="+release, "GOSTAP_DEBUGINFO=/nonexistent")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s on %s: %v\n%s", strings.TrimSpace(command), release, err, out)
			}
		}
	}
	if lines < 10 {
		t.Errorf("only %d lines", lines)
	}
}
