// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gostap/manifest"
)

// hostModule builds testdata/host.c and gives it a manifest.
func hostModule(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Fatal("no compiler: apt install gcc")
	}
	dir := t.TempDir()
	program, text := filepath.Join(dir, "program"), filepath.Join(dir, "manifest")
	if err := os.WriteFile(text, []byte(`{"Version":3,"Name":"host","Images":[{}],"Formats":[{"Format":"%s %d\n","Args":"sl"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"gcc", "-Wall", "-Werror", "-I../runtime-c/include", "-o", program, "testdata/host.c"},
		{"objcopy", "--add-section", manifest.Section + "=" + text, program},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	return program
}

func TestHost(t *testing.T) {
	program := hostModule(t)
	tests := []struct {
		scenario string
		cfg      Config
		exit     int
		err      string
		out, say string
	}{
		{
			scenario: "exit", cfg: Config{Target: 17, Globals: []string{"a=1", "b=2"}},
			out: "-x 17 -G a=1 -G b=2\nbye 1\n",
		},
		{scenario: "error", exit: 1, out: "\n", say: "ERROR: division by 0 near operator '/' at x.stp:3:5\n"},
		{scenario: "wait", cfg: Config{Timeout: 200 * time.Millisecond}, out: "\nend\n"},
		{scenario: "wait", cfg: Config{Command: "sleep 0.1"}, out: "-x PID\nend\n"},
		{
			scenario: "wait", cfg: Config{Command: "exit 7"}, exit: 1, out: "-x PID\nend\n",
			say: "WARNING: Child process exited with status 7\n",
		},
		{
			scenario: "wait", cfg: Config{Command: "kill -SEGV $$"}, exit: 1, out: "-x PID\nend\n",
			say: "WARNING: Child process exited with signal 11 (segmentation fault)\n",
		},
		{scenario: "crash", exit: 1, err: "exit status 3", out: "\n"},
	}
	for _, test := range tests {
		t.Run(test.scenario, func(t *testing.T) {
			t.Setenv("GOSTAP_TEST_HOST", test.scenario)
			var out, say bytes.Buffer
			test.cfg.Module, test.cfg.Output, test.cfg.Stderr = program, &out, &say
			result, err := RunHost(context.Background(), test.cfg)
			if result.ExitCode != test.exit {
				t.Errorf("exit code %d", result.ExitCode)
			}
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v", err)
			}
			got := out.String()
			if test.cfg.Command != "" {
				var pid int
				fmt.Sscanf(got, "-x %d\n", &pid)
				got = strings.Replace(got, fmt.Sprint(pid), "PID", 1)
			}
			if got != test.out {
				t.Errorf("output %q", got)
			}
			warnings := strings.Replace(say.String(), "WARNING: 2 probe hits skipped (2: "+skipReasons[skipLock]+")\nWARNING: Number of errors: 1, skipped probes: 2\n", "", 1)
			if warnings != test.say {
				t.Errorf("messages %q", warnings)
			}
		})
	}
}

// TestHostSignals: the first signal requests the end, the second does not wait for it.
func TestHostSignals(t *testing.T) {
	program := hostModule(t)
	for _, test := range []struct {
		scenario, out string
		signals       int
		exit          int
	}{
		{"wait", "\nend\n", 1, 0},
		{"hang", "\n", 2, 1},
	} {
		t.Setenv("GOSTAP_TEST_HOST", test.scenario)
		var out bytes.Buffer
		cfg := Config{Module: program, Output: &out, Stderr: new(bytes.Buffer)}
		go func() {
			for range test.signals {
				time.Sleep(300 * time.Millisecond)
				syscall.Kill(os.Getpid(), syscall.SIGTERM)
			}
		}()
		result, err := RunHost(context.Background(), cfg)
		if result.ExitCode != test.exit || (err == errAbandoned) != (test.signals == 2) {
			t.Errorf("%s: exit code %d, error %v", test.scenario, result.ExitCode, err)
		}
		if test.signals == 1 && out.String() != test.out {
			t.Errorf("%s: %q", test.scenario, out.String())
		}
	}
}

// TestHostClosedPipe: `gostap … | head -1` ends.
func TestHostClosedPipe(t *testing.T) {
	program := hostModule(t)
	t.Setenv("GOSTAP_TEST_HOST", "flood")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		r.Read(make([]byte, 100))
		r.Close()
	}()
	var say bytes.Buffer
	result, err := RunHost(context.Background(), Config{Module: program, Output: w, Stderr: &say})
	if result.ExitCode != 0 || err != nil || say.Len() != 0 {
		t.Errorf("exit code %d, error %v, %q", result.ExitCode, err, say.String())
	}
}
