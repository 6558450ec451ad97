// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gostap/internal/cache"
	"gostap/internal/panics"
)

// impatience is for stand-ins of qemu, which are never slow.
var impatience = patience{
	tick:      10 * time.Millisecond,
	greeting:  5 * time.Second,
	kvm:       500 * time.Millisecond,
	boot:      500 * time.Millisecond,
	ping:      50 * time.Millisecond,
	report:    50 * time.Millisecond,
	answer:    500 * time.Millisecond,
	lastWords: 2 * time.Second,
	exit:      2 * time.Second,
}

// told has the messages to the user.
type told struct{ notices, progress []string }

// standInFor runs a command with a stand-in for qemu that shows a behaviour, on a host with or without
// KVM.
func standInFor(t *testing.T, behaviour string, hasKVM bool, cfg Config) (result, told) {
	t.Helper()
	releases := Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel to pretend to boot")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := cache.Path("stand-in") // the same qemu in all runs of a test
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "qemu-system-x86_64")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("STANDIN", behaviour)
	defer func(device string) { kvmDevice = device }(kvmDevice)
	kvmDevice = "/dev/null"
	if !hasKVM {
		kvmDevice = "/nonexistent"
	}
	var said told
	cfg.Release = releases[0]
	if cfg.patience == (patience{}) {
		cfg.patience = impatience
	}
	cfg.Notice = func(line string) { said.notices = append(said.notices, line) }
	cfg.Progress = func(what string) { said.progress = append(said.progress, what) }
	return run(t, cfg, "true"), said
}

// TestDeath checks the error for every way in which qemu can fail.
func TestDeath(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, c := range []struct{ behaviour, reason, console, stdout string }{
		{"dies", "the guest ended before its command did: qemu-system-x86_64: no such machine", "", ""},
		{"says nothing", "qemu has not come up within", "", ""},
		{"hangs in the kernel", "the kernel has not reached its init within", "Freeing unused memory", ""},
		{"stops in the kernel", "qemu stopped it, internal-error", "", ""},
		{"hangs in the session", "the guest hangs: it has not answered for",
			"the last line of the console\n\t[   99.9] Kernel panic - not syncing: NMI: Not continuing", "half of the output\n"},
		{"stops in the session", "qemu stopped it, internal-error", "the last line of the console", "half of the output\n"},
		{"loses its files", "virtiofsd, which serves the host's files, has ended", "the last line of the console", "half of the output\n"},
	} {
		t.Run(c.behaviour, func(t *testing.T) {
			short := impatience
			if c.behaviour == "says nothing" {
				short.greeting = 500 * time.Millisecond
			}
			r, said := standInFor(t, c.behaviour, false, Config{patience: short})
			var dead *GuestError
			if !errors.As(r.err, &dead) {
				t.Fatalf("status %d, error %v; want a GuestError", r.status, r.err)
			}
			t.Log(dead, said)
			if !strings.HasPrefix(dead.Reason, c.reason) {
				t.Errorf("reason %q, want %q", dead.Reason, c.reason)
			}
			if !strings.Contains(dead.Error(), c.console) {
				t.Errorf("no %q of the console in: %v", c.console, dead)
			}
			if r.stdout != c.stdout {
				t.Errorf("stdout %q, want %q", r.stdout, c.stdout)
			}
			if len(said.notices) > 0 {
				t.Errorf("notices %q, where KVM isn't there", said.notices)
			}
		})
	}
}

// TestMissingQemu is for a host without qemu, or with an unsuitable busybox.
func TestMissingQemu(t *testing.T) {
	releases := Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	r := run(t, Config{Release: releases[0]}, "true")
	var missing *MissingError
	if !errors.As(r.err, &missing) || missing.Install != "apt install qemu-system-x86 busybox-static" {
		t.Errorf("error %v; want one that names the packages", r.err)
	}
	if strings.Contains(r.err.Error(), "\n") {
		t.Errorf("more than a line: %v", r.err)
	}
}

// TestKVMFails is for every way in which KVM can fail. The same boot is then repeated with emulation,
// and the streams are not affected; one line reports the reason, and the next boot does not try KVM
// again.
func TestKVMFails(t *testing.T) {
	for behaviour, why := range map[string]string{
		"kvm:dies":                "no such machine",
		"kvm:says nothing":        "qemu has not come up",
		"kvm:hangs in the kernel": "the kernel has not reached its init",
		"kvm:stops in the kernel": "internal-error",
	} {
		t.Run(behaviour, func(t *testing.T) {
			t.Setenv("GOSTAP_CACHE", t.TempDir())
			input := make([]byte, 1<<20)
			rand.Read(input)
			short := impatience
			if behaviour == "kvm:says nothing" {
				short.greeting = 500 * time.Millisecond
			}
			r, said := standInFor(t, behaviour, true, Config{Stdin: strings.NewReader(string(input)), patience: short})
			if r.err != nil || r.status != 7 || r.stdout != string(input) {
				t.Fatalf("status %d, error %v, %d bytes of %d", r.status, r.err, len(r.stdout), len(input))
			}
			if len(said.notices) != 1 || !strings.Contains(said.notices[0], why) || strings.Contains(said.notices[0], "\n") {
				t.Errorf("notices %q, want one line that says %q", said.notices, why)
			}
			if p := strings.Join(said.progress, "|"); !strings.Contains(p, "under KVM|") || !strings.Contains(p, "emulated|") {
				t.Errorf("progress %q", p)
			}
			r, said = standInFor(t, behaviour, true, Config{})
			if r.err != nil || r.status != 7 || len(said.notices) > 0 || strings.Contains(strings.Join(said.progress, "|"), "KVM") {
				t.Errorf("again: status %d, error %v, %+v", r.status, r.err, said)
			}
		})
	}
}

// TestKVMWorks is for a kernel that reaches its init under KVM, which then works until it fails.
func TestKVMWorks(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	used := func(behaviour string) string {
		r, said := standInFor(t, behaviour, true, Config{})
		t.Log(behaviour, r.status, r.err, said)
		return strings.Join(said.progress, "|")
	}
	for range 2 {
		if p := used("works"); !strings.Contains(p, "under KVM|") || strings.Contains(p, "emulated") {
			t.Errorf("progress %q", p)
		}
	}
	// A guest that hangs is not KVM's fault.
	used("hangs in the session")
	if p := used("works"); !strings.Contains(p, "under KVM|") {
		t.Errorf("after a guest that hung: progress %q", p)
	}
	// A session is not restarted, but the next one is emulated.
	if p := used("stops in the session"); strings.Contains(p, "emulated") {
		t.Errorf("progress %q", p)
	}
	if p := used("works"); !strings.Contains(p, "emulated|") || strings.Contains(p, "KVM") {
		t.Errorf("after KVM gave up: progress %q", p)
	}
}

// TestNothingWorks is for KVM and emulation failing for the same reason, which is then not KVM's fault.
func TestNothingWorks(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	if r, _ := standInFor(t, "dies", true, Config{}); r.err == nil {
		t.Error("no error")
	}
	if _, said := standInFor(t, "works", true, Config{}); !strings.Contains(strings.Join(said.progress, "|"), "KVM") {
		t.Errorf("KVM was blamed: %+v", said)
	}
}

// TestLate is for a guest that is slow, not dead: this is reported, and then that it responds again.
func TestLate(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	slow := impatience
	slow.answer = time.Minute
	r, said := standInFor(t, "answers late", false, Config{patience: slow})
	if r.err != nil || r.status != 0 {
		t.Fatalf("%+v", r)
	}
	if p := strings.Join(said.progress, "|"); !strings.Contains(p, "the VM does not answer; it is given up after 1m") || !strings.HasSuffix(p, "|") {
		t.Errorf("progress %q", p)
	}
}

// TestNoCommand is for a guest in which the command can't be started.
func TestNoCommand(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	if r, _ := standInFor(t, "cannot start the command", false, Config{}); r.err != nil || r.status != 126 {
		t.Errorf("%+v", r)
	}
}

// broken is a writer that panics.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("in the output") }

// TestPanics: a panic in the output's writer is the error of the session.
func TestPanics(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	r, _ := standInFor(t, "hangs in the session", false, Config{Stdout: broken{}})
	var e *panics.Error
	if !errors.As(r.err, &e) || e.Value != "in the output" {
		t.Errorf("status %d, error %v", r.status, r.err)
	}
}
