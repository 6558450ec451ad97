// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pkg/errors"
)

// installed returns the kernels to test with, at least one.
func installed(t *testing.T) []string {
	if testing.Short() {
		t.Skip("boots VMs")
	}
	releases := Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel to boot")
	}
	return releases
}

// eachRelease runs a test on every installed kernel.
func eachRelease(t *testing.T, test func(t *testing.T, release string)) {
	for _, release := range installed(t) {
		t.Run(release, func(t *testing.T) { test(t, release) })
	}
}

// oneRelease runs a test that does not depend on the kernel on one of them.
func oneRelease(t *testing.T, test func(t *testing.T, release string)) {
	test(t, installed(t)[0])
}

// result is the result of a command in a VM.
type result struct {
	status         int
	stdout, stderr string
	err            error
}

func run(t *testing.T, cfg Config, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return runContext(ctx, cfg, args...)
}

func runContext(ctx context.Context, cfg Config, args ...string) result {
	var stdout, stderr bytes.Buffer
	cfg.Args = args
	if cfg.Stdout == nil {
		cfg.Stdout = &stdout
	}
	cfg.Stderr = &stderr
	status, err := Run(ctx, cfg)
	return result{status, stdout.String(), stderr.String(), err}
}

func TestCommand(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string) {
		seen := filepath.Join(t.TempDir(), "seen")
		if err := os.WriteFile(seen, []byte("from the host\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		input := make([]byte, 1<<20)
		rand.Read(input)
		script := `
			uname -r
			cat $1
			echo guest >$1; echo guest >$(dirname $1)/new
			echo result >$2/result
			modprobe dummy && lsmod | grep -c ^dummy
			dmesg | grep -c 'Linux version'
			test -e /sys/kernel/debug/tracing/trace -a -e /sys/kernel/tracing/trace || echo no tracefs
			ping -c 1 127.0.0.1 >/dev/null 2>&1 || grep -q 'lo:' /proc/net/dev || echo no loopback
			echo "$X|$HOME|$(hostname)|$PWD|$(id -u)"
			echo mistakes >/dev/stderr
			cat >$2/stdin
			exit 42`
		began := time.Now()
		r := run(t, Config{Release: release, Env: []string{"X=it's"}, Dir: "/usr", Writable: []string{out}, Stdin: bytes.NewReader(input)},
			"sh", "-c", script, "sh", seen, out)
		t.Log(time.Since(began))
		if r.err != nil || r.status != 42 {
			t.Errorf("status %d, error %v; want 42", r.status, r.err)
		}
		want := release + "\nfrom the host\n1\n1\nit's|/root|gostap-vm|/usr|0\n"
		if r.stdout != want {
			t.Errorf("stdout:\n%s\nwant:\n%s", r.stdout, want)
		}
		if r.stderr != "mistakes\n" {
			t.Errorf("stderr: %q", r.stderr)
		}
		if b, _ := os.ReadFile(seen); string(b) != "from the host\n" {
			t.Errorf("the guest wrote to the host: %q", b)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(seen), "new")); err == nil {
			t.Error("the guest made a file on the host")
		}
		if b, _ := os.ReadFile(filepath.Join(out, "result")); string(b) != "result\n" {
			t.Errorf("in the writable directory: %q", b)
		}
		if b, _ := os.ReadFile(filepath.Join(out, "stdin")); !bytes.Equal(b, input) {
			t.Errorf("stdin: %d bytes arrived, not the %d that were sent", len(b), len(input))
		}
	})
}

func TestThroughput(t *testing.T) {
	oneRelease(t, func(t *testing.T, release string) {
		began := time.Now()
		r := run(t, Config{Release: release}, "seq", "1000000", "4000000")
		t.Log(time.Since(began))
		if r.err != nil || r.status != 0 {
			t.Fatalf("status %d, error %v", r.status, r.err)
		}
		if n := len(r.stdout); n != 3000001*8 || !strings.HasSuffix(r.stdout, "\n3999999\n4000000\n") {
			t.Errorf("%d bytes, ending with %q", n, r.stdout[max(0, n-20):])
		}
	})
}

func TestPanic(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string) {
		// Output that is on its way from the command to the host when the kernel panics is lost: so
		// wait before.
		r := run(t, Config{Release: release}, "sh", "-c", "echo before; sleep 3; echo c >/proc/sysrq-trigger")
		var dead *GuestError
		if !errors.As(r.err, &dead) {
			t.Fatalf("status %d, error %v; want a GuestError", r.status, r.err)
		}
		t.Log(dead)
		if !strings.Contains(dead.Reason, "kernel panic: sysrq triggered crash") {
			t.Errorf("reason: %s", dead.Reason)
		}
		if text := strings.Join(dead.Console, "\n"); !strings.Contains(text, "sysrq_handle_crash") {
			t.Errorf("console:\n%s", text)
		}
		if r.stdout != "before\n" {
			t.Errorf("stdout: %q", r.stdout)
		}
	})
}

// signalOnOutput sends a signal at each write to it.
type signalOnOutput struct {
	bytes.Buffer
	signals chan os.Signal
}

func (w *signalOnOutput) Write(p []byte) (int, error) {
	w.signals <- os.Interrupt
	return w.Buffer.Write(p)
}

func TestInterrupt(t *testing.T) {
	oneRelease(t, func(t *testing.T, release string) {
		w := &signalOnOutput{signals: make(chan os.Signal, 2)}
		r := run(t, Config{Release: release, Stdout: w, Interrupt: w.signals},
			"sh", "-c", `trap 'echo bye; exec sleep 100' INT; echo ready; while :; do sleep 0.1; done`)
		if r.err != ErrInterrupted || w.String() != "ready\nbye\n" {
			t.Errorf("error %v, stdout %q", r.err, w.String())
		}
		w = &signalOnOutput{signals: make(chan os.Signal, 2)}
		r = run(t, Config{Release: release, Stdout: w, Interrupt: w.signals}, "sh", "-c", "echo ready; exec sleep 100")
		if r.err != nil || r.status != 128+int(syscall.SIGINT) {
			t.Errorf("status %d, error %v; want death from SIGINT", r.status, r.err)
		}
	})
}

// stopOnOutput stops qemu, as if it hung, at the first write to it.
type stopOnOutput struct{ bytes.Buffer }

func (w *stopOnOutput) Write(p []byte) (int, error) {
	for _, pid := range children("qemu") {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
	return w.Buffer.Write(p)
}

func TestHang(t *testing.T) {
	oneRelease(t, func(t *testing.T, release string) {
		short := defaultPatience
		short.answer, short.lastWords = time.Second, time.Second
		w := &stopOnOutput{}
		r := run(t, Config{Release: release, Stdout: w, patience: short},
			"sh", "-c", "echo '<4>spoken' >/dev/kmsg; sleep 1; echo written; exec sleep 1000")
		var dead *GuestError
		if !errors.As(r.err, &dead) {
			t.Fatalf("status %d, error %v; want a GuestError", r.status, r.err)
		}
		t.Log(dead)
		if !strings.HasPrefix(dead.Reason, "the guest hangs") || !strings.Contains(dead.Error(), "spoken") {
			t.Errorf("error: %v", dead)
		}
		if w.String() != "written\n" {
			t.Errorf("stdout: %q", w.String())
		}
	})
}

func TestDeadline(t *testing.T) {
	oneRelease(t, func(t *testing.T, release string) {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		r := runContext(ctx, Config{Release: release}, "true")
		var dead *GuestError
		if !errors.As(r.err, &dead) || !errors.Is(r.err, context.DeadlineExceeded) {
			t.Errorf("error %v; want one about the deadline", r.err)
		}
	})
}

func TestKASLR(t *testing.T) {
	oneRelease(t, func(t *testing.T, release string) {
		r := run(t, Config{Release: release, KASLR: true}, "grep", " _stext$", "/proc/kallsyms")
		if r.err != nil || r.status != 0 || strings.HasPrefix(r.stdout, "ffffffff81000000 ") {
			t.Errorf("%+v; want another address", r)
		}
	})
}
