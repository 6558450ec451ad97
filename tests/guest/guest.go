// SPDX-License-Identifier: GPL-2.0-or-later

// Package guest runs a test of the calling package in a micro-VM: the host's
// half boots one for a kernel and runs the test binary again in there, for a
// test that Dir says to be in the guest. Both halves see the same files.
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

// dirVar tells a test that it runs in the VM; it holds the folder that the host has prepared.
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

// Releases returns the kernels to test on: GOSTAP_KERNELS, a list of releases parted by spaces, chooses; else
// it is all that are installed in /boot.
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

// OneOf returns one of the kernels, others for other turns, or all if GOSTAP_SPREAD is not set, as it is in make test. It is for
// tests of what differs little between kernels.
func OneOf(releases []string, turn int) []string {
	if os.Getenv("GOSTAP_SPREAD") == "" {
		return releases
	}
	one := turn % len(releases)
	return releases[one : one+1]
}

// Prepare makes what guests use, gostap, the load generator and the intruder, and returns their folder.
func Prepare(t testing.TB) string {
	dir := t.TempDir()
	Command(t, Root(t), "env", "CGO_ENABLED=0", "go", "build", "-o", filepath.Join(dir, "gostap"), "./cmd/gostap") // as make builds it
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

// Command runs a command on the host, which has to succeed.
func Command(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// A Config says what to run where.
type Config struct {
	Release string
	Dir     string        // of Prepare
	Test    string        // the name of the test to be run in the VM
	Run     string        // a pattern for its subtests; "" for all
	Env     []string      // for it
	Shared  string        // a folder that the guest may write to; "" for none
	UEFI    *vm.UEFI      // nil: booted without firmware
	Timeout time.Duration // for all of it; the guest has half a minute less, and says what it hung at

	KernelArgs []string // for the kernel's command line
}

// patience is after how many seconds without an interrupt on a processor the guest's kernel speaks of a hard lockup, and, twice as
// many, of a soft one. It is three times its own: an emulated processor waits for its turn beside others that tests run on.
const patience = 30

// light is for the kernel's command line: an eighth of an emulated kernel's time goes into its defences against
// speculation, which an emulated processor does not do, and into clearing memory that its user clears or fills anyway.
// What a module forgets to clear shows then, too.
const light = "mitigations=off init_on_alloc=0"

// Run runs the guest's half and makes a subtest of each of its subtests.
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
		live = io.MultiWriter(&out, os.Stderr) // as it comes: some of it takes hours
	}
	var writable []string
	if cfg.Shared != "" {
		writable = []string{cfg.Shared}
	}
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Timeout)
	defer cancel()
	// HOME is another one in the guest, the cache is the host's.
	code, err := vm.Run(ctx, vm.Config{
		Release:  cfg.Release,
		MemoryMB: 2048,
		KASLR:    true,
		UEFI:     cfg.UEFI,
		Dir:      here,
		Env:      append([]string{dirVar + "=" + cfg.Dir, "GOSTAP_CACHE=" + cache.Root()}, cfg.Env...),
		Args: []string{self, "-test.v", "-test.run=" + pattern, "-test.parallel=1",
			"-test.timeout=" + (cfg.Timeout - 30*time.Second).String()},
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
	case errors.As(err, &dead): // and says what the console's last lines are
		t.Errorf("%v\nthe guest's last lines:\n%s", err, LastLines(out.String(), 60))
	case err != nil || code != 0:
		t.Errorf("exit code %d, error %v\nthe guest's last lines:\n%s\nthe console's:\n%s",
			code, err, LastLines(out.String(), 60), LastLines(console.String(), 60))
	}
}

// report makes a subtest of each one that ran in the guest, with what a failed one has printed and why one was skipped.
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
