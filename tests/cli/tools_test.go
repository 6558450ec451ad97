// SPDX-License-Identifier: GPL-2.0-or-later

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gostap/tools"
	"gostap/vm"
)

// Each tool elaborates without a warning on each installed kernel, without debuginfo; in make test on
// one of them.
func TestToolsElaborate(t *testing.T) {
	bin := build(t)
	all, err := tools.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Errorf("only %d tools", len(all))
	}
	releases := vm.Releases()
	for i, tool := range all {
		given := map[string]string{"PROGRAM": bin, "FUNCTION": "vfs_read", "ARGUMENT": "$count"}
		if strings.Contains(tool.Script, "process(@1).mark(") {
			if given["PROGRAM"], err = exec.LookPath("/usr/bin/python3"); err != nil {
				continue // no program here has such marks
			}
		}
		var args []string
		for _, a := range tool.Arguments {
			if a.Optional {
				break
			}
			args = append(args, given[a.Name])
			given["FUNCTION"] = "main.main" // behind a program, it is a function of that
		}
		for j, release := range releases {
			if os.Getenv("GOSTAP_SPREAD") != "" && i%len(releases) != j {
				continue
			}
			t.Run(tool.Name+" "+release, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(bin, append([]string{"tool", "-p2", "-W", "-r", release, tool.Name}, args...)...)
				cmd.Env = append(os.Environ(), "GOSTAP_DEBUGINFO=/nonexistent")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", cmd, err, out)
				}
			})
		}
	}
}
