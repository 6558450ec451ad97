// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gostap/tests/guest"
	"gostap/vm"
)

const symbols = "vfs_read,vfs_write,vfs_fsync,ksys_read,no_such_function"

// inGuest runs a shell script with the client and a module in a VM; $client and $module name them.
func inGuest(t *testing.T, release, script string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("boots VMs")
	}
	req := testRequest(t, release)
	req.OutDir = t.TempDir()
	res := build(t, req)
	client := filepath.Join(req.OutDir, "client")
	if out, err := exec.Command("go", "build", "-o", client, "./testdata/client").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var out bytes.Buffer
	status, err := vm.Run(ctx, vm.Config{
		Release: release,
		Args:    []string{"sh", "-c", script + "\ndmesg | grep -E 'BUG|WARNING|Oops|protection fault'\ntrue"},
		Env:     []string{"client=" + client, "module=" + res.Path},
		Stdout:  &out,
		Stderr:  &out,
	})
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v:\n%s", status, err, out.String())
	}
	if bad := regexp.MustCompile(`BUG|WARNING|Oops|protection fault`).FindString(out.String()); bad != "" {
		t.Errorf("the kernel says %s:\n%s", bad, out.String())
	}
	return out.String()
}

// figure returns the number that follows name at the beginning of a line.
func figure(t *testing.T, out, name string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` (\d+)$`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no figure %q in:\n%s", name, out)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

func TestSession(t *testing.T) {
	for _, release := range guest.OneOf(releases(t), 1) {
		t.Run(release, func(t *testing.T) {
			out := inGuest(t, release, "$client $module "+symbols+" dd if=/dev/zero of=/dev/null bs=1 count=5000")
			for _, name := range []string{"reads", "returns", "saved", "both-read", "both-write", "kprobes"} {
				// Other processes in the guest read and write a little, too.
				if n := figure(t, out, name); n < 5000 || n > 6000 {
					t.Errorf("%s: %d, want little more than 5000", name, n)
				}
			}
			if figure(t, out, "ticks") == 0 {
				t.Error("the timer never fired")
			}
			for _, want := range []string{
				`"read fault at kernel address 0x0" "near operator '->' at x.stp:3:5" "begin(1)"`,
				`"the running kernel does not have it" "" "kprobe.function(\"missing\")"`,
				"\nbegin\nread 1\nread 2\nread 3\n", "\nend\n", "\nunloaded\n",
			} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q", want)
				}
			}
			if strings.Contains(out, "passed") || strings.Contains(out, "failed") || t.Failed() {
				t.Errorf("got:\n%s", out)
			}
		})
	}
}

// TestOwnerKilled checks that all probes are gone two seconds after the owner was killed.
func TestOwnerKilled(t *testing.T) {
	for _, release := range guest.OneOf(releases(t), 0) {
		t.Run(release, func(t *testing.T) {
			out := inGuest(t, release, `
exec 2>/dev/null # the shell says who was killed
tracing=/sys/kernel/tracing/enabled_functions kprobes=/sys/kernel/debug/kprobes/list
$client -kill $module `+symbols+` sh -c "cat $tracing $kprobes; dd if=/dev/zero of=/dev/null bs=1 count=500 2>/dev/null"
echo killed $?
sleep 2
cat $tracing $kprobes | wc -l
rmmod gostap_probes && echo removed`)
			_, after, _ := strings.Cut(out, "killed 137\n")
			if !strings.Contains(out, "vfs_read") || !strings.HasPrefix(after, "0\nremoved\n") {
				t.Errorf("got:\n%s", out)
			}
		})
	}
}
