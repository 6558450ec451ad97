// SPDX-License-Identifier: GPL-2.0-or-later

// Package cli tests gostap's command line: the scripts of testdata run the real binary, on the host
// runtime, and up to pass 4 for an installed kernel. Tests that need a running kernel are in tests/e2e.
package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gostap/internal/cache"
	"gostap/vm"
)

func TestCommandLine(t *testing.T) {
	bin := build(t)
	project, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	nobody := homeOfNobody(t, filepath.Dir(bin))
	root := cache.Root()
	releases := vm.Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel to build for: run tests/setup test")
	}
	debug := os.Getenv("GOSTAP_DEBUGINFO")
	if debug == "" {
		debug = "/usr/lib/debug"
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOSTAP", bin)
			env.Setenv("ROOT", project)
			env.Setenv("NOBODY", nobody)
			env.Setenv("PATH", filepath.Dir(bin)+":"+os.Getenv("PATH"))
			env.Setenv("GOSTAP_CACHE", root) // the runtimes are built there once
			env.Setenv("RELEASE", releases[0])
			env.Setenv("GOSTAP_DEBUGINFO", "/nonexistent") // that of the machine would add files and lines to probe points
			env.Setenv("DEBUG", debug)
			env.Setenv("NEWEST", releases[len(releases)-1])
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "debuginfo" {
				_, err := os.Stat(debug + "/boot/vmlinux-" + releases[0])
				return err == nil, nil
			}
			return cond == "root" && os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"sorted": sorted,
			"once":   once,
		},
	})
}

// build builds gostap in a folder that every user may read.
func build(t *testing.T) string {
	dir, err := os.MkdirTemp("", "gostap-cli-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "gostap")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/gostap")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as in the Makefile
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return bin
}

// homeOfNobody makes a home folder for an unprivileged user.
func homeOfNobody(t *testing.T, dir string) string {
	home := filepath.Join(dir, "nobody")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(home, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// sorted fails unless the last command's output has at least two lines, in ascending order.
func sorted(ts *testscript.TestScript, _ bool, _ []string) {
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	if len(lines) < 2 {
		ts.Fatalf("too few lines to be sorted: %d", len(lines))
	}
	for i := 1; i < len(lines); i++ {
		if lines[i-1] >= lines[i] {
			ts.Fatalf("out of order: %q, %q", lines[i-1], lines[i])
		}
	}
}

// once fails unless the last command wrote exactly one line to standard error.
func once(ts *testscript.TestScript, _ bool, _ []string) {
	if text := ts.ReadFile("stderr"); strings.Count(text, "\n") != 1 {
		ts.Fatalf("not one line of errors:\n%s", text)
	}
}
