// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gostap/manifest"
	modulebuild "gostap/module-build"
	"gostap/tests/guest"
	"gostap/vm"
)

// TestKernel runs the tests named TestGuest… in a micro-VM, on a module made from testdata/reads.c:
// they test the whole package on a real kernel.
func TestKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	releases := vm.Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel to test on: apt install linux-image-cloud-amd64 linux-headers-cloud-amd64")
	}
	for _, release := range guest.OneOf(releases, 1) {
		t.Run(release, func(t *testing.T) {
			module := buildReads(t, release)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			status, err := vm.Run(ctx, vm.Config{
				Release: release,
				Args:    []string{self, "-test.run", "^TestGuest", "-test.v"},
				Env:     []string{"GOSTAP_TEST_MODULE=" + module},
				Stdout:  &out, Stderr: &out, Console: &out,
			})
			var missing *vm.MissingError
			if errors.As(err, &missing) {
				t.Fatal(err)
			}
			if err != nil || status != 0 {
				t.Errorf("status %d, %v", status, err)
			}
			t.Log(out.String())
		})
	}
}

func buildReads(t *testing.T, release string) string {
	t.Helper()
	c, err := os.ReadFile("testdata/reads.c")
	if err != nil {
		t.Fatal(err)
	}
	m := printManifest()
	m.Version, m.Name, m.Release = manifest.Version, "consumer_test", release
	m.Hists = []manifest.Hist{{}}
	m.Images = []manifest.Image{{}, {Module: "dummy"}}
	m.Symbols = []manifest.Symbol{{Name: "vfs_read"}, {Name: "dummy_setup", Image: 1}}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	result, err := modulebuild.Build(context.Background(), modulebuild.Request{
		Release: release, Name: m.Name, C: c, Manifest: text, OutDir: t.TempDir(),
	})
	var missing *modulebuild.MissingError
	if errors.As(err, &missing) {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result.Path
}

// guestModule returns the module to run, in the guest.
func guestModule(t *testing.T) string {
	module := os.Getenv("GOSTAP_TEST_MODULE")
	if module == "" {
		t.Skip("runs in the VM of TestKernel")
	}
	return module
}

// gone fails the test if modules are left.
func gone(t *testing.T) {
	t.Helper()
	if left, err := filepath.Glob("/sys/module/consumer_test*"); err != nil || len(left) > 0 {
		t.Errorf("still loaded: %v %v", left, err)
	}
	if left, err := Sessions(); err != nil || len(left) > 0 {
		t.Errorf("sessions: %+v %v", left, err)
	}
}

// ascending checks that N ascends in the lines "read N", and that the missing ones are those reported
// as lost. It returns the number of lines that were produced.
func ascending(t *testing.T, text string, result Result) int {
	t.Helper()
	lost, _ := perCPU(result.Stats.Lost)
	lines, last, total := 0, 0, 0
	for line := range strings.Lines(text) {
		if n, err := fmt.Sscanf(line, "total %d\n", &total); n == 1 && err == nil {
			continue
		}
		number := 0
		if n, err := fmt.Sscanf(line, "read %d\n", &number); n != 1 || err != nil {
			continue
		}
		if number <= last {
			t.Fatalf("%d comes after %d", number, last)
		}
		lines, last = lines+1, number
	}
	if lines+int(lost) != total {
		t.Errorf("%d printed + %d lost is not %d", lines, lost, total)
	}
	return total
}

const (
	readOne = "dd if=/dev/zero of=/dev/null bs=1 count=%d 2>/dev/null"
	readTwo = "(" + readOne + ") & (" + readOne + "); wait"
)

func TestGuestSession(t *testing.T) {
	var out, say bytes.Buffer
	cfg := Config{Module: guestModule(t), Command: fmt.Sprintf(readOne, 5000), Output: &out, Stderr: &say, Verbose: 2}
	result, err := Run(context.Background(), cfg)
	if err != nil || result.ExitCode != 0 {
		t.Errorf("exit code %d, %v", result.ExitCode, err)
	}
	t.Logf("%s%+v", say.String(), result.Stats)
	n := ascending(t, out.String(), result)
	if n < 5000 {
		t.Errorf("%d reads", n)
	}
	if !strings.HasPrefix(out.String(), "begin\nread 1\n") {
		t.Errorf("%.50q", out.String())
	}
	_, end, _ := strings.Cut(out.String(), fmt.Sprintf("total %d\n", n))
	if !strings.HasPrefix(end, "value |--") || !strings.HasSuffix(end, "\n\nsystem\nafter\n") {
		t.Errorf("end is %q", end)
	}
	if strings.Count(say.String(), "WARNING: careful\n") != 1 {
		t.Error("no warning")
	}
	gone(t)
}

// TestGuestFlatOut: two CPUs print at full speed under one lock: every line is there, in order.
func TestGuestFlatOut(t *testing.T) {
	path := t.TempDir() + "/out"
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var say bytes.Buffer
	cfg := Config{Module: guestModule(t), Command: fmt.Sprintf(readTwo, 100000, 100000), Output: f, Stderr: &say}
	result, err := Run(context.Background(), cfg)
	if err != nil || result.ExitCode != 0 {
		t.Errorf("exit code %d, %v", result.ExitCode, err)
	}
	t.Logf("%s%+v", say.String(), result.Stats)
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := ascending(t, string(out), result); n < 200000 {
		t.Errorf("%d reads", n)
	}
	gone(t)
}

// TestGuestSlow: a reader that does not keep up causes counted losses: printed + lost = produced.
func TestGuestSlow(t *testing.T) {
	var say bytes.Buffer
	lines := 0
	slow := writerFunc(func(b []byte) (int, error) {
		lines += bytes.Count(b, []byte("read "))
		time.Sleep(20 * time.Millisecond)
		return len(b), nil
	})
	cfg := Config{Module: guestModule(t), Command: fmt.Sprintf(readTwo, 100000, 100000), Output: slow, Stderr: &say, BufferMB: 1}
	result, err := Run(context.Background(), cfg)
	if err != nil || result.ExitCode != 0 {
		t.Errorf("exit code %d, %v", result.ExitCode, err)
	}
	t.Logf("%s%+v", say.String(), result.Stats)
	written, _ := perCPU(result.Stats.Written)
	lost, _ := perCPU(result.Stats.Lost)
	if written != result.Stats.Records {
		t.Errorf("%d written, %d read", written, result.Stats.Records)
	}
	if warned := strings.Contains(say.String(), "events lost"); warned != (lost > 0) {
		t.Errorf("%d lost, warned: %v", lost, warned)
	}
	if lines < 100000-int(lost) {
		t.Errorf("%d lines, %d lost", lines, lost)
	}
	gone(t)
}

func TestGuestJSON(t *testing.T) {
	var out bytes.Buffer
	cfg := Config{Module: guestModule(t), Command: fmt.Sprintf(readOne, 100), Output: &out, Stderr: io.Discard, JSON: true}
	if result, err := Run(context.Background(), cfg); err != nil || result.ExitCode != 0 {
		t.Errorf("exit code %d, %v", result.ExitCode, err)
	}
	var uptime float64
	if _, err := fmt.Sscan(readTrimmed("/proc/uptime"), &uptime); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var o struct{ Time, CPU int64 }
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if now := uptime * 1e9; float64(o.Time) > now || float64(o.Time) < now-60e9 {
			t.Fatalf("%q at %f", line, uptime)
		}
	}
	gone(t)
}

// TestGuestTwice runs two sessions of the same module at a time.
func TestGuestTwice(t *testing.T) {
	module := guestModule(t)
	results := make(chan error, 2)
	for range 2 {
		go func() {
			var out bytes.Buffer
			result, err := Run(context.Background(), Config{Module: module, Timeout: 2 * time.Second, Output: &out, Stderr: io.Discard})
			if err == nil && (result.ExitCode != 0 || !strings.HasPrefix(out.String(), "begin\n")) {
				err = fmt.Errorf("exit code %d, %.100q", result.ExitCode, out.String())
			}
			results <- err
		}()
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	gone(t)
}

// TestGuestModuleCame: addresses from before a module was loaded are corrected by the session.
func TestGuestModuleCame(t *testing.T) {
	path := guestModule(t)
	m, err := ReadManifest(path)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := load(path, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer gone(t)
	defer unload(mod.name, unloadPatience)
	c, err := openStarter(mod.name)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	files := descriptors(make([]*os.File, len(m.Images)))
	addrs, err := resolve(m, false)
	if err != nil {
		t.Fatal(err)
	}
	if addrs[1] != 0 {
		t.Fatal("dummy is loaded")
	}
	for name, p := range map[string]startParams{
		"too few addresses": {addrs: make([]uint64, len(m.Symbols)-1), files: files}, "too many": {addrs: make([]uint64, len(m.Symbols)+1), files: files},
		"too few files": {addrs: make([]uint64, len(m.Symbols)), files: files[1:]},
	} {
		if err := c.start(p); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
	if out, err := exec.Command("modprobe", "dummy").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer exec.Command("rmmod", "dummy").Run()
	if err := c.start(startParams{addrs: addrs, files: files}); err != nil {
		t.Error(err)
	}
	if probes, err := os.ReadFile("/sys/kernel/debug/kprobes/list"); err != nil || !bytes.Contains(probes, []byte("dummy_setup")) {
		t.Errorf("dummy_setup is not probed: %q, %v", probes, err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}
