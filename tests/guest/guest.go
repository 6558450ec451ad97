// SPDX-License-Identifier: GPL-2.0-or-later

// Package guest runs a test of the calling package in a micro-VM: the part on the host boots one for a
// kernel and runs the test binary again in it, for a test that runs if Dir is not empty. Both parts see
// the same files.
package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gostap/internal/cache"
	"gostap/internal/kernels"
	"gostap/vm"
)

// dirVar is set in the VM; its value is the folder that the host has prepared.
const dirVar = "GOSTAP_GUEST"

// Dir returns the folder that Prepare has made; "" on the host.
func Dir() string { return os.Getenv(dirVar) }

// Root returns the module's root, for a package in a folder of tests.
func Root(t testing.TB) string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Releases returns the kernels to test on: GOSTAP_KERNELS, a list of releases separated by spaces, or
// else all that are installed in /boot.
func Releases(t testing.TB) []string {
	if list := strings.Fields(os.Getenv("GOSTAP_KERNELS")); len(list) > 0 {
		return list
	}
	list := vm.Releases()
	if len(list) == 0 {
		t.Fatal("no kernel to test on: run tests/setup test")
	}
	return list
}

// OneOf returns one of the kernels, a different one for each turn, or all if GOSTAP_SPREAD, which make
// test sets, is not set. It is for tests whose results hardly depend on the kernel.
func OneOf(releases []string, turn int) []string {
	if os.Getenv("GOSTAP_SPREAD") == "" {
		return releases
	}
	one := turn % len(releases)
	return releases[one : one+1]
}

// Prepare builds what guests use, gostap, the load generator and the intruder, and returns their
// folder.
func Prepare(t testing.TB) string {
	dir := t.TempDir()
	Command(t, Root(t), "env", "CGO_ENABLED=0", "go", "build", "-o", filepath.Join(dir, "gostap"), "./cmd/gostap") // as in the Makefile
	Command(t, Root(t), "go", "build", "-o", filepath.Join(dir, "intruder"), "./tests/intruder")
	Command(t, Root(t), "gcc", "-O2", "-static", "-o", filepath.Join(dir, "reads"), "tests/load/reads.c")
	Command(t, Root(t), "gcc", "-O2", "-static", "-o", filepath.Join(dir, "exchange"), "tests/load/exchange.c")
	return dir
}

// Kbuild builds the modules in a folder for a kernel, on the host.
func Kbuild(t testing.TB, release, dir string, args ...string) {
	t.Helper()
	k := kernels.Find(release)
	args = append([]string{"-s", "-C", k.Inside(k.Build()), "M=" + dir, "modules"}, args...)
	if out, err := k.Command(t.Context(), "make", args...).CombinedOutput(); err != nil {
		t.Fatalf("make %s: %v\n%s", args, err, out)
	}
}

// Command runs a command on the host, which must succeed.
func Command(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// A Config has the parameters of a run in a guest.
type Config struct {
	Release string
	Dir     string        // the result of Prepare
	Test    string        // the name of the test to be run in the VM
	Run     string        // a pattern for its subtests; "" for all
	Env     []string      // the test's environment
	Shared  string        // a folder that the guest may write to; "" for none
	UEFI    *vm.UEFI      // nil: booted without firmware
	ICount  bool          // clocks count instructions: the same code takes the same time, however busy the host is
	Timeout time.Duration // for the whole run; the guest has half a minute less, and reports what hung

	KernelArgs []string // appended to the kernel's command line
}

// patience is the number of seconds without an interrupt after which the guest's kernel reports a hard
// lockup; it reports a soft one after twice as many. It is three times the default: an emulated
// processor waits for CPUs of the host, which other tests use.
const patience = 30

// light are parameters for the kernel's command line: an emulated kernel spends an eighth of its time
// on mitigations of speculation, which an emulated processor does not have, and on clearing memory that
// its user clears or fills anyway. Without that clearing, uses of uninitialized memory show, too.
const light = "mitigations=off init_on_alloc=0"

// Run runs the guest's part and makes a subtest of each of its subtests.
func Run(t *testing.T, cfg Config) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pattern := "^" + cfg.Test + "$"
	if cfg.Run != "" {
		pattern += "/(" + cfg.Run + ")"
	}
	var console, out bytes.Buffer
	var live io.Writer = &out
	if testing.Verbose() {
		live = io.MultiWriter(&out, os.Stderr) // immediately, as some tests take hours
	}
	var writable []string
	if cfg.Shared != "" {
		writable = []string{cfg.Shared}
	}
	limit := cfg.Timeout - 30*time.Second
	if cfg.ICount {
		limit = 0 // its clock runs ahead while it waits for the host's files; the host's is the limit
	}
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Timeout)
	defer cancel()
	// HOME differs in the guest, the cache is the host's.
	code, err := vm.Run(ctx, vm.Config{
		Release:  cfg.Release,
		MemoryMB: 2048,
		KASLR:    true,
		UEFI:     cfg.UEFI,
		ICount:   cfg.ICount,
		Dir:      here,
		Env:      append([]string{dirVar + "=" + cfg.Dir, "GOSTAP_CACHE=" + cache.Root()}, cfg.Env...),
		Args: []string{self, "-test.v", "-test.run=" + pattern, "-test.parallel=1",
			"-test.timeout=" + limit.String()},
		KernelArgs: append([]string{fmt.Sprint("sysctl.kernel.watchdog_thresh=", patience), light}, cfg.KernelArgs...),
		Writable:   writable,
		Stdout:     live,
		Stderr:     live,
		Console:    &console,
		Notice:     func(line string) { t.Log(line) },
	})
	report(t, cfg.Test, out.String())
	var dead *vm.GuestError
	switch {
	case errors.As(err, &dead): // the message has the console's last lines
		t.Errorf("%v\nthe guest's last lines:\n%s", err, LastLines(out.String(), 60))
	case err != nil || code != 0:
		t.Errorf("exit code %d, error %v\nthe guest's last lines:\n%s\nthe console's:\n%s",
			code, err, LastLines(out.String(), 60), LastLines(console.String(), 60))
	}
}

// report makes a subtest of each subtest in the guest, with the output of a failed one and the reason
// of a skipped one.
func report(t *testing.T, test, out string) {
	results := regexp.MustCompile(`(?m)^    --- (PASS|FAIL|SKIP): `+test+`/(\S+)`).FindAllStringSubmatch(out, -1)
	if len(results) == 0 {
		t.Errorf("nothing ran in the guest:\n%s", out)
	}
	logs := map[string]string{}
	starts := regexp.MustCompile(`(?m)^=== (?:RUN|CONT)   ?`+test+`/(\S+)$`).FindAllStringSubmatchIndex(out, -1)
	for i, m := range starts {
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		logs[out[m[2]:m[3]]] += out[m[0]:end]
	}
	for _, m := range results {
		t.Run(m[2], func(t *testing.T) {
			switch m[1] {
			case "FAIL":
				t.Errorf("the guest printed:\n%s", LastLines(logs[m[2]], 60))
			case "SKIP":
				t.Skip(message(logs[m[2]]))
			}
		})
	}
}

// message returns the first line that a test has logged.
func message(log string) string {
	if m := regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.+)$`).FindStringSubmatch(log); m != nil {
		return m[1]
	}
	return ""
}

// LastLines returns the last n lines of a text.
func LastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
