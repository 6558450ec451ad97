// SPDX-License-Identifier: GPL-2.0-or-later

// Package torture does to gostap, in a micro-VM's kernel, what must harm
// neither the kernel nor the output: random scripts, consumers that die,
// memory that is not there, malformed messages, probes on what the runtime
// itself calls, and on everything. Each ends with a clean kernel and figures
// that add up.
//
//	go test ./tests/torture                       the short form
//	GOSTAP_TORTURE=long go test -timeout 5h …     the long one
//	go test ./tests/torture -torture.run=Faults   one item, in the guest
//
// GOSTAP_KERNELS chooses the kernels.
package torture

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gostap/tests/guest"
)

var only = flag.String("torture.run", "", "a pattern for what is to be done in the guest")

// long says whether to take the time that it takes.
var long = os.Getenv("GOSTAP_TORTURE") == "long"

// choose returns the short form's value or the long one's.
func choose[T any](short, longer T) T {
	if long {
		return longer
	}
	return short
}

func TestTorture(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	dir := guest.Prepare(t)
	guest.Command(t, guest.Root(t), "gcc", "-O2", "-static", "-pthread", "-o", filepath.Join(dir, "busy"), "tests/load/busy.c")
	began := time.Now()
	var wanted []*wantedScript
	if ok, err := regexp.MatchString(*only, "Scripts"); err != nil {
		t.Fatal(err)
	} else if ok {
		wanted = scripts(t)
	}
	t.Logf("the scripts on the host took %s", time.Since(began).Round(time.Second))
	for _, release := range guest.Releases(t) {
		t.Run(release, func(t *testing.T) {
			began := time.Now()
			timeout := choose(15*time.Minute, 8*time.Hour)
			if strings.HasSuffix(release, "-debug") {
				timeout *= 4 // its checks cost that
			}
			buildScripts(t, dir, release, wanted)
			buildModules(t, dir, release)
			t.Logf("the modules took %s", time.Since(began).Round(time.Second))
			guest.Run(t, guest.Config{
				Release: release,
				Dir:     dir,
				Test:    "TestGuest",
				Run:     *only,
				Env:     []string{"GOSTAP_TORTURE=" + os.Getenv("GOSTAP_TORTURE")},
				Timeout: timeout,
			})
		})
	}
}

// buildModules builds the modules that the guest loads.
func buildModules(t *testing.T, dir, release string) {
	for _, m := range []struct {
		name, script string
		options      []string
	}{
		{"flood", flood, nil},
		{"warnings", warnings, nil},
		{"victim", victim, nil},
		{"quiet", quiet, nil},
		{"recursion", recursion, []string{"--suppress-handler-errors"}},
		{"everything", fmt.Sprintf(everything, choose("[a-h]*", "*")), []string{"--suppress-handler-errors"}},
	} {
		args := append([]string{"-w", "-g", "-p4", "-r", release, "-m", m.name, "-e", m.script}, m.options...)
		guest.Command(t, dir, filepath.Join(dir, "gostap"), args...)
	}
	work := filepath.Join(dir, "fail-"+release)
	if err := os.CopyFS(work, os.DirFS("fail")); err != nil {
		t.Fatal(err)
	}
	guest.Kbuild(t, release, work)
	if err := os.Rename(filepath.Join(work, "gstortfail.ko"), filepath.Join(dir, "gstortfail.ko")); err != nil {
		t.Fatal(err)
	}
}

// TestGuest is what is done inside the VM.
func TestGuest(t *testing.T) {
	if guest.Dir() == "" {
		t.Skip("TestTorture runs this in a VM")
	}
	os.Setenv("PATH", guest.Dir()+":"+os.Getenv("PATH"))
	for _, item := range []struct {
		name string
		do   func(*testing.T)
	}{
		{"Scripts", testScripts},
		{"Killed", testKilled},
		{"Stopped", testStopped},
		{"StoppedWarnings", testStoppedWarnings},
		{"Removal", testRemoval},
		{"FullDisk", testFullDisk},
		{"OtherReader", testOtherReader},
		{"Memory", testMemory},
		{"Messages", testMessages},
		{"Strangers", testStrangers},
		{"Recursion", testRecursion},
		{"Everything", testEverything},
	} {
		t.Run(item.name, func(t *testing.T) {
			began := time.Now()
			item.do(t)
			clean(t)
			t.Logf("%s took %s", item.name, time.Since(began).Round(time.Second))
		})
	}
	t.Run("Leaks", func(t *testing.T) {
		if err := guest.Leaks(); err != nil {
			t.Error(err)
		}
	})
}

// clean fails if the kernel has come to harm, or anything is left in it.
func clean(t *testing.T) {
	t.Helper()
	if err := guest.Clean(); err != nil {
		t.Error(err)
	}
}

// A session is a gostap that runs.
type session struct {
	*exec.Cmd
	stdout output
	stderr bytes.Buffer
}

// output is what a session prints; without stacks, but for the lines that begin
// with a space, of which there can be more than the guest has memory for.
type output struct {
	withoutStacks bool
	kept, line    []byte
}

func (o *output) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if o.line = append(o.line, line...); o.line[len(o.line)-1] != '\n' {
			break
		}
		if !o.withoutStacks || o.line[0] != ' ' {
			o.kept = append(o.kept, o.line...)
		}
		o.line = o.line[:0]
	}
	return len(p), nil
}

func (o *output) Bytes() []byte  { return append(o.kept[:len(o.kept):len(o.kept)], o.line...) }
func (o *output) String() string { return string(o.Bytes()) }

// start starts gostap with these arguments.
func start(t *testing.T, args ...string) *session {
	t.Helper()
	return launch(t, &session{}, args...)
}

func launch(t *testing.T, s *session, args ...string) *session {
	t.Helper()
	s.Cmd = exec.Command("gostap", args...)
	s.Stdout, s.Stderr = &s.stdout, &s.stderr
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	// A test that fails leaves no session to the next.
	t.Cleanup(func() { s.Process.Kill() })
	return s
}

// end waits for it and returns its exit code, -1 if a signal has killed it.
func (s *session) end() int {
	s.Wait()
	return s.ProcessState.ExitCode()
}

// run runs gostap to its end.
func run(t *testing.T, args ...string) *session {
	t.Helper()
	s := start(t, args...)
	s.end()
	return s
}

// await waits for something that has to happen, but not for ever.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(choose(2*time.Minute, 10*time.Minute)); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// armed waits until there are probes.
func armed(t *testing.T) {
	t.Helper()
	await(t, "probes are armed", func() bool { return probes(t) != "" })
}

// gone waits until there are none.
func gone(t *testing.T) {
	t.Helper()
	await(t, "the probes are gone", func() bool { return probes(t) == "" })
}

func probes(t *testing.T) string {
	t.Helper()
	list, err := guest.Probes()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// loaded says whether a module is in the kernel.
func loaded(name string) bool {
	_, err := os.Stat("/sys/module/" + name)
	return err == nil
}
