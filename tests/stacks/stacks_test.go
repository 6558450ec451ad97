// SPDX-License-Identifier: GPL-2.0-or-later

// Package stacks compares gostap's stacks of programs with gdb's. In the VM, gdb runs a program and
// gostap samples it at any instruction, prints the stack and stops the thread by a signal, at which gdb
// writes its own stack.
//
// \tGOSTAP_STACKS=350 go test -v -count=1 -timeout 1h ./tests/stacks
//
// GOSTAP_STACKS is the number of stacks of each program; without it the test is skipped, as it takes
// minutes. GOSTAP_PROGRAMS, a regular expression, selects programs. bash, gdb, g++, nginx, postgres and
// python3 are those of the machine, from Debian:
//
// \tapt install gdb g++ nginx-light postgresql-15 python3
package stacks

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"gostap/tests/guest"
)

// deepest is the maximal number of frames in gostap: GS_USTACK_DEPTH.
const deepest = 128

func TestStacks(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	if wanted() == 0 {
		t.Skip("GOSTAP_STACKS is not set: it takes minutes")
	}
	dir := guest.Prepare(t)
	guest.Command(t, ".", "g++", "-O2", "-fomit-frame-pointer", "-o", filepath.Join(dir, "busy"), "programs/busy.cc")
	guest.Command(t, ".", "go", "build", "-o", filepath.Join(dir, "busygo"), "./programs/busygo")
	release := guest.Releases(t)[0]
	guest.Run(t, guest.Config{Release: release, Dir: dir, Test: "TestGuest", Run: os.Getenv("GOSTAP_PROGRAMS"), Timeout: time.Hour,
		Env: []string{"GOSTAP_STACKS=" + os.Getenv("GOSTAP_STACKS")}})
}

// wanted is the number of stacks of each program to compare; 0 for no comparison.
func wanted() int {
	n, _ := strconv.Atoi(os.Getenv("GOSTAP_STACKS"))
	return n
}

// TestGuest compares, inside the VM.
func TestGuest(t *testing.T) {
	dir := guest.Dir()
	if dir == "" {
		t.Skip("TestStacks runs this in a VM")
	}
	for _, p := range programs(dir) {
		t.Run(p.name, func(t *testing.T) {
			if _, err := os.Stat(p.path); err != nil {
				t.Skip(err)
			}
			compare(t, dir, p)
		})
	}
}

// compare runs one program.
func compare(t *testing.T, dir string, p program) {
	work := t.TempDir()
	script, err := filepath.Abs("sample.stp")
	if err != nil {
		t.Fatal(err)
	}
	args, wrapper := p.args, ""
	if p.prepare != nil {
		args, wrapper = p.prepare(t, work)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+time.Duration(wanted())*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gdb", "-q", "-nx", "-batch", "-ex", "set args "+args, "-ex", "set exec-wrapper "+wrapper, "-x", "frames.py", p.path)
	cmd.WaitDelay = 10 * time.Second // the program may outlive gdb
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FOLDER="+work, "SCRIPT="+script, fmt.Sprint("DEEPEST=", deepest),
		"STACKS="+os.Getenv("GOSTAP_STACKS"), "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", cmd, err, guest.LastLines(string(out), 40))
	}
	r := count(readGdb(t, filepath.Join(work, "frames")), readGostap(t, filepath.Join(work, "sampled")))
	t.Logf("%d stacks, %d of them different; %d equal to gdb's (%.2f %%), %d complete by gdb, %d by gostap, %d frames on average, %d without a pair",
		r.pairs, r.distinct, r.equal, 100*float64(r.equal)/float64(max(1, r.pairs)), r.gdbComplete, r.complete, r.frames/max(1, r.pairs), r.lone)
	for _, d := range r.differences[:min(len(r.differences), 8)] {
		t.Log(d)
	}
	if r.pairs == 0 || r.equal*1000 < r.pairs*995 {
		t.Errorf("gdb printed:\n%s", guest.LastLines(string(out), 20))
	}
}
