// SPDX-License-Identifier: GPL-2.0-or-later

// Package e2e runs gostap as its users do, on real kernels: the test boots a
// micro-VM for each kernel and runs itself again in there, where the scripts
// of testdata are run one after the other. GOSTAP_KERNELS, a list of releases
// parted by spaces, chooses the kernels; else all that are installed.
// GOSTAP_SCRIPTS, a regular expression, chooses the scripts.
package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"gostap/vm"
)

// guestVar tells the test that it runs in the VM; it holds the folder that
// the host has prepared.
const guestVar = "GOSTAP_E2E_GUEST"

func TestKernels(t *testing.T) {
	if os.Getenv(guestVar) != "" {
		t.Skip("this is the guest")
	}
	dir := prepare(t)
	for _, release := range releases(t) {
		t.Run(release, func(t *testing.T) {
			built := filepath.Join(dir, "kbuilt-"+release+".ko")
			build(t, dir, release, built)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var console, out bytes.Buffer
			ctx, cancel := context.WithTimeout(context.Background(), 12*time.Minute)
			defer cancel()
			code, err := vm.Run(ctx, vm.Config{
				Release:  release,
				MemoryMB: 2048,
				KASLR:    true,
				Dir:      filepath.Join(root(t), "tests/e2e"),
				Env: []string{guestVar + "=" + dir, "KBUILT=" + built,
					"GOSTAP_CACHE=" + os.Getenv("GOSTAP_CACHE")},
				Args:    []string{self, "-test.v", "-test.run=^TestGuest$/" + os.Getenv("GOSTAP_SCRIPTS"), "-test.parallel=1"},
				Stdout:  &out,
				Stderr:  &out,
				Console: &console,
			})
			report(t, out.String())
			if err != nil || code != 0 {
				t.Logf("the guest's last lines:\n%s", lastLines(out.String(), 60))
				t.Errorf("exit code %d, error %v; the console's last lines:\n%s", code, err, lastLines(console.String(), 40))
			}
		})
	}
}

// releases returns the kernels to test on.
func releases(t *testing.T) []string {
	if list := strings.Fields(os.Getenv("GOSTAP_KERNELS")); len(list) > 0 {
		return list
	}
	list, err := vm.Releases()
	if err != nil || len(list) == 0 {
		t.Fatalf("no kernel to test on (%v): run tests/setup test", err)
	}
	return list
}

func root(t *testing.T) string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// prepare makes what the guest uses: gostap and the load generator.
func prepare(t *testing.T) string {
	dir := t.TempDir()
	host(t, root(t), "go", "build", "-o", filepath.Join(dir, "gostap"), "./cmd/gostap")
	host(t, root(t), "gcc", "-O2", "-static", "-o", filepath.Join(dir, "reads"), "tests/load/reads.c")
	return dir
}

// build builds one module by kbuild, and in passing warms the runtime cache,
// which would take the guest a minute.
func build(t *testing.T, dir, release, built string) {
	gostap := filepath.Join(dir, "gostap")
	host(t, dir, gostap, "-p4", "-r", release, filepath.Join(root(t), "examples/hello.stp"))
	host(t, dir, gostap, "-p4", "-r", release, "--kbuild", "-m", "kbuilt", filepath.Join(root(t), "examples/vfs-reads.stp"))
	if err := os.Rename(filepath.Join(dir, "kbuilt.ko"), built); err != nil {
		t.Fatal(err)
	}
}

func host(t *testing.T, dir, name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

var (
	guestResult = regexp.MustCompile(`(?m)^    --- (PASS|FAIL|SKIP): TestGuest/(\S+)`)
	guestLog    = regexp.MustCompile(`(?m)^=== CONT  TestGuest/(\S+)$`)
)

// report makes a subtest of each script that ran in the guest, with what a
// failed one has printed.
func report(t *testing.T, out string) {
	results := guestResult.FindAllStringSubmatch(out, -1)
	if len(results) == 0 {
		t.Errorf("no script ran in the guest:\n%s", out)
	}
	logs := map[string]string{}
	starts := guestLog.FindAllStringSubmatchIndex(out, -1)
	for i, m := range starts {
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		logs[out[m[2]:m[3]]] = out[m[0]:end]
	}
	for _, m := range results {
		t.Run(m[2], func(t *testing.T) {
			if m[1] != "PASS" {
				t.Errorf("the guest printed:\n%s", lastLines(logs[m[2]], 60))
			}
		})
	}
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// TestGuest runs the scripts, inside the VM.
func TestGuest(t *testing.T) {
	dir := os.Getenv(guestVar)
	if dir == "" {
		t.Skip("TestKernels runs this in a VM")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			env.Setenv("GOSTAPDIR", dir)
			env.Setenv("EXAMPLES", filepath.Join(root(t), "examples"))
			for _, v := range []string{"KBUILT", "GOSTAP_CACHE", "HOME"} {
				env.Setenv(v, os.Getenv(v))
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"clean":    clean,
			"armed":    armed,
			"disarmed": disarmed,
		},
	})
}

var harm = regexp.MustCompile(`BUG|WARNING|Oops|general protection|Call Trace|rcu.*stall|soft lockup`)

// clean fails if the kernel log speaks of harm, or if a probe or a gostap
// module is left.
func clean(ts *testscript.TestScript, neg bool, args []string) {
	log, err := exec.Command("dmesg").Output()
	ts.Check(err)
	if harm.Match(log) {
		ts.Fatalf("the kernel was harmed:\n%s", lastLines(string(log), 60))
	}
	if left := probes(ts); left != "" {
		ts.Fatalf("probes are left:\n%s", left)
	}
	if sessions, _ := filepath.Glob("/sys/kernel/debug/gostap/*"); len(sessions) > 0 {
		ts.Fatalf("modules are left: %v", sessions)
	}
}

// probes returns the kernel's list of probed functions.
func probes(ts *testscript.TestScript) string {
	var all []byte
	for _, file := range []string{"/sys/kernel/debug/kprobes/list", "/sys/kernel/tracing/enabled_functions"} {
		text, err := os.ReadFile(file)
		ts.Check(err)
		all = append(all, text...)
	}
	return string(all)
}

// armed waits until a probe is armed.
func armed(ts *testscript.TestScript, neg bool, args []string) {
	await(ts, 20*time.Second, "no probe was armed", func() bool { return probes(ts) != "" })
}

// disarmed waits until no probe is left, and logs how long that took: two
// seconds at most, but for a host that is too busy to run the VM.
func disarmed(ts *testscript.TestScript, neg bool, args []string) {
	began := time.Now()
	await(ts, 20*time.Second, "probes are left", func() bool { return probes(ts) == "" })
	ts.Logf("no probe is left after %v", time.Since(began).Round(time.Millisecond))
}

func await(ts *testscript.TestScript, limit time.Duration, failure string, done func() bool) {
	for end := time.Now().Add(limit); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s:\n%s", failure, probes(ts))
		}
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("GOSTAP_CACHE") == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Setenv("GOSTAP_CACHE", filepath.Join(dir, "gostap"))
	}
	os.Exit(m.Run())
}
