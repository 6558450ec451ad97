// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gostap/internal/kernels"
)

// A hitCase is one handler whose cost is measured: a gostap script and, if bpftrace has the same
// feature, a bpftrace script.
type hitCase struct {
	name     string
	gostap   string
	bpftrace string
	limit    string
	prints   bool // the work of the consumer is included
}

var hitCases = []hitCase{
	{"empty handler", `probe kernel.function("vfs_read") { }`, `kprobe:vfs_read { }`, "80", false},
	{"n++", `global n probe kernel.function("vfs_read") { n++ } probe end { printf("%d\n", n) }`, `kprobe:vfs_read { @n++ }`, "100", false},
	{"a[execname()] <<< $count", `global a probe kernel.function("vfs_read") { a[execname()] <<< $count }
		probe end { foreach (name in a) printf("%s %d %d\n", name, @count(a[name]), @sum(a[name])) }`,
		`kprobe:vfs_read { @a[comm] = stats(arg2) }`, "300", false},
	{"printf, consumer included", `probe kernel.function("vfs_read") { printf("%s %d\n", execname(), $count) }`,
		`kprobe:vfs_read { printf("%s %d\n", comm, arg2) }`, "1000", true},
	{"$return added up", `global s probe kernel.function("vfs_read").return { s <<< $return } probe end { printf("%d\n", @sum(s)) }`,
		`kretprobe:vfs_read { @s = sum(retval) }`, "460", false},
	// This includes the system call's slow path, which the tracepoint enables.
	{"tracepoint, $id looked at", `global n probe kernel.trace("sys_enter") { if ($id == 0) n++ }`, `tracepoint:raw_syscalls:sys_enter { if (args->id == 0) { @n++ } }`, "-", false},
	{"a[execname(), pp()]++", `global a probe kernel.function("vfs_read") { a[execname(), pp()]++ }
		probe end { foreach ([name, where] in a) printf("%s %s %d\n", name, where, a[name, where]) }`,
		`kprobe:vfs_read { @a[comm, probe] = count() }`, "400", false},
	{"printf of five, the same", `probe kernel.function("vfs_read") { printf("%s %d %d %p %d\n", execname(), pid(), $count, $buf, cpu()) }`,
		`kprobe:vfs_read { printf("%s %d %d %p %d\n", comm, pid, arg2, arg1, cpu) }`, "1200", true},
	{"print_backtrace(), the same", `probe kernel.function("vfs_read") { print_backtrace() }`,
		`kprobe:vfs_read { print(kstack) }`, "2500", true},
	{"syscall.* { n++ }", `global n probe syscall.* { n++ } probe end { printf("%d\n", n) }`, `tracepoint:syscalls:sys_enter_read { @n++ }`, "120", false},
	{"syscall.* { n[name]++ }", `global n probe syscall.* { n[name]++ } probe end { foreach (name in n) printf("%s %d\n", name, n[name]) }`,
		`tracepoint:syscalls:sys_enter_read { @n[probe] = count() }`, "120", false},
	{"vfs.read, bytes_to_read", `global n probe vfs.read { n[execname()] <<< bytes_to_read }
		probe end { foreach (name in n) printf("%s %d\n", name, @sum(n[name])) }`,
		`kprobe:vfs_read { @n[comm] = sum(arg2) }`, "260", false},
}

// hitReads is the number of one-byte reads per measurement.
const hitReads = 500000

// hits measures instructions per hit, in a VM whose clock counts them.
func hits(b *bench) error {
	if err := b.floor(); err != nil {
		return err
	}
	for i, c := range hitCases {
		cmd := command(b.gostap, "-p4", "-r", b.release, "-m", fmt.Sprintf("hit%d", i), "-e", c.gostap)
		cmd.Dir = b.dir
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	cost, err := b.inGuest("hits", true)
	if err != nil {
		return err
	}
	fmt.Printf("extra instructions per hit on %s\n", b.release)
	fmt.Printf("%-28s %10s %10s %10s\n", "", "gostap", "bpftrace", "limit")
	for _, c := range hitCases {
		fmt.Printf("%-28s %10s %10s %10s\n", c.name, cost["gostap "+c.name], cost["bpftrace "+c.name], c.limit)
	}
	for _, how := range floors {
		fmt.Printf("%-28s %10s\n", "by hand, "+how, cost["floor "+how])
	}
	return nil
}

var floors = []string{"ftrace", "kprobe", "kretprobe"}

// floor builds the hand-written module, once for all benchmarks of a run.
func (b *bench) floor() error {
	dir := filepath.Join(b.dir, "floor")
	if _, err := os.Stat(filepath.Join(dir, "floor.ko")); err == nil {
		return nil
	}
	if err := os.CopyFS(dir, os.DirFS("tests/bench/floor")); err != nil {
		return err
	}
	k := kernels.Find(b.release)
	cmd := k.Command(context.Background(), "make", "-s", "-C", k.Inside(k.Build()), "M="+dir, "modules")
	cmd.Stdout = io.Discard
	return cmd.Run()
}

// guestHits measures every case inside the VM.
func guestHits(args []string) {
	dir := args[0]
	reads := filepath.Join(dir, "reads")
	m := newMeter(reads+" %d", hitReads)
	for _, how := range floors {
		must(exec.Command("insmod", filepath.Join(dir, "floor/floor.ko"), "how="+how).Run())
		fmt.Printf("floor %s=%s\n", how, m.perHit(false, func(cmd string) []string { return []string{"sh", "-c", cmd} }))
		must(exec.Command("rmmod", "floor").Run())
	}
	for i, c := range hitCases {
		fmt.Printf("gostap %s=%s\n", c.name, m.perHit(c.prints, func(cmd string) []string {
			return []string{filepath.Join(dir, "gostap"), "run", "-o", "/tmp/out", "-c", cmd, filepath.Join(dir, fmt.Sprintf("hit%d.ko", i))}
		}))
	}
	if _, err := exec.LookPath("bpftrace"); err != nil {
		return
	}
	for _, c := range hitCases {
		fmt.Printf("bpftrace %s=%s\n", c.name, m.perHit(c.prints, func(cmd string) []string {
			return []string{"bpftrace", "-o", "/tmp/out", "-c", cmd, "-e", c.bpftrace}
		}))
	}
}

// A meter measures the cost of a hit of an event that occurs n times while load runs, once while once
// runs, and never while nothing runs.
type meter struct {
	load, once, nothing string
	n                   int64
	plain               cost // of load without tracing
}

// printRuns is the number of measurements of a tool that prints.
const printRuns = 5

// newMeter makes the meter of a load, whose command has %d for the number of hits.
func newMeter(command string, n int64) *meter {
	times := func(n int64) string { return fmt.Sprintf(command, n) }
	return &meter{times(n), times(1), times(0), n, measure("sh", "-c", times(n))}
}

// perHit returns the cost that a hit adds to the load's loop and, if the handler prints, to the CPU
// time of the tool and its command outside of that loop; tool returns the command that traces while cmd
// runs. A run before the measurement loads the files for symbols into the page cache: the guest reads
// them from the host at the first hit only. The cost of a session's begin and end differs between runs
// by up to hundreds of instructions per hit: the median of several runs counts.
func (m *meter) perHit(prints bool, tool func(cmd string) []string) string {
	if prints {
		measure(tool(m.once)...)
	}
	with := measure(tool(m.load)...)
	extra := with.loop - m.plain.loop
	if prints {
		rests := []int64{with.rest() - measure(tool(m.nothing)...).rest()}
		for len(rests) < printRuns {
			rests = append(rests, measure(tool(m.load)...).rest()-measure(tool(m.nothing)...).rest())
		}
		slices.Sort(rests)
		extra += rests[printRuns/2]
	}
	return strconv.FormatInt((extra+m.n/2)/m.n, 10)
}

// A cost is CPU time in ns; with icount these are instructions.
type cost struct {
	loop int64 // of the loop of reads
	all  int64 // of the command and its children
}

func (c cost) rest() int64 { return c.all - c.loop }

// measure is tryMeasure; an error ends the guest.
func measure(args ...string) cost {
	c, err := tryMeasure(args...)
	must(err)
	return c
}

// tryMeasure runs a command, in which reads runs and reports its loop's time.
func tryMeasure(args ...string) (cost, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var n int
	c := cost{all: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Nanoseconds()}
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "reads ") && err == nil {
			_, err = fmt.Sscanf(line, "reads %d %d", &n, &c.loop)
		}
	}
	if err != nil || c.loop == 0 {
		return c, fmt.Errorf("%s: %v\n%s", cmd, err, stderr.String())
	}
	return c, nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
