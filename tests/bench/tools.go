// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A toolCase is a tool that bpftrace has, too, with an operation of tests/load/operations for it and
// its number.
type toolCase struct {
	name, operation string
	n               int64
	options         []string // options with which gostap's tool shows what bpftrace's does
}

var toolCases = []toolCase{
	{"bashreadline", "readline", 200, nil},
	{"biolatency", "disk", 500, nil},
	{"biosnoop", "disk", 500, nil},
	{"biostacks", "disk", 500, nil},
	{"bitesize", "disk", 500, nil},
	{"capable", "chroot", 1000, nil},
	{"execsnoop", "exec", 50, nil},
	{"gethostlatency", "lookup", 500, nil},
	{"killsnoop", "kill", 1000, nil},
	{"oomkill", "oom", 10, nil},
	{"opensnoop", "open", 1000, nil},
	{"runqlat", "switch", 1000, nil},
	{"runqlen", "tick", 50, nil},
	{"setuids", "setuid", 1000, nil},
	{"statsnoop", "stat", 1000, nil},
	{"swapin", "swapin", 500, nil},
	{"syncsnoop", "sync", 1000, nil},
	{"syscount", "read", 1000, nil},
	{"tcpaccept", "connection", 300, nil},
	{"tcpconnect", "connection", 300, nil},
	{"tcpdrop", "drop", 300, []string{"--stack"}},
	{"tcplife", "connection", 300, nil},
	{"tcpretrans", "retransmission", 100, nil},
	{"tcpsynbl", "connection", 300, nil},
	{"threadsnoop", "thread", 300, nil},
	{"vfscount", "read", 1000, nil},
	{"vfsstat", "read", 1000, nil},
	{"writeback", "writeback", 50, nil},
	{"xfsdist", "xfs", 1000, nil},
}

// toolSetup prepares the guest for operations. The swap space is on a RAM disk, which takes a page at
// once: no page that is swapped out is left in memory.
const toolSetup = `set -e
ip link set lo up
modprobe null_blk nr_devices=3 gb=1 memory_backed=1 irqmode=0
modprobe brd rd_nr=1 rd_size=16384
modprobe -a ext4 xfs
mkswap -q /dev/ram0
swapon /dev/ram0
echo 0 >/proc/sys/vm/page-cluster
mkfs.ext4 -q /dev/nullb1
mkfs.xfs -q /dev/nullb2
mkdir -p /mnt/ext4 /mnt/xfs
mount /dev/nullb1 /mnt/ext4
mount /dev/nullb2 /mnt/xfs
mount | grep -q cgroup2 || mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
echo 4M >/sys/fs/cgroup/small/memory.max
echo 0 >/sys/fs/cgroup/small/memory.swap.max
`

// chosenTool tells whether a tool is to be measured.
func chosenTool(name string) bool {
	return *onlyTools == "" || slices.Contains(strings.Split(*onlyTools, ","), name)
}

// toolCosts measures the instructions that tools add to a machine whose programs do what they trace.
func toolCosts(b *bench) error {
	if err := command("gcc", "-O2", "-pthread", "-o", filepath.Join(b.dir, "operations"), "tests/load/operations.c").Run(); err != nil {
		return err
	}
	var chosen []string
	for _, c := range toolCases {
		if !chosenTool(c.name) {
			continue
		}
		chosen = append(chosen, c.name)
		cmd := command(b.gostap, append([]string{"tool", "-w", "-p4", "-r", b.release, "-m", "tool_" + c.name, c.name}, c.options...)...)
		cmd.Dir = b.dir
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	empty := command(b.gostap, "-w", "-p4", "-r", b.release, "-m", "empty", "-e", "probe begin {}")
	empty.Dir = b.dir
	if err := empty.Run(); err != nil {
		return err
	}
	cost, err := b.inGuest("tools", true, chosen...)
	if err != nil {
		return err
	}
	fmt.Printf("instructions of the machine for each operation on %s: alone, and what tools add to an empty session of the same tracer\n", b.release)
	fmt.Printf("%-16s %-16s %10s %10s %10s\n", "", "operation", "alone", "gostap", "bpftrace")
	for _, c := range toolCases {
		if ours, ok := cost["gostap "+c.name]; ok {
			fmt.Printf("%-16s %-16s %10s %10s %10s\n", c.name, c.operation, cost["alone "+c.operation], ours, cost["bpftrace "+c.name])
		}
	}
	return nil
}

// toolRuns is the number of runs whose median counts.
const toolRuns = 3

// guestTools measures the tools in args, behind the folder, inside the VM. What a tool adds is compared
// with a session of the same tracer that has no probes: the tracer's own program wakes up while an operation
// lasts, whatever it traces.
func guestTools(args []string) {
	dir := args[0]
	setup := exec.Command("sh", "-c", toolSetup)
	setup.Stderr = os.Stderr
	must(setup.Run())
	gostap := func(module, load string) []string {
		return []string{filepath.Join(dir, "gostap"), "run", "-o", "/tmp/ours", "-c", load, filepath.Join(dir, module+".ko")}
	}
	bpftrace := func(load string, script ...string) []string {
		return append([]string{"bpftrace", "-o", "/tmp/theirs", "-c", load}, script...)
	}
	type sessions struct{ alone, gostap, bpftrace int64 }
	empty := map[string]sessions{}
	for _, c := range toolCases {
		if !slices.Contains(args[1:], c.name) {
			continue
		}
		load := fmt.Sprintf("%s %s %d", filepath.Join(dir, "operations"), c.operation, c.n)
		if _, ok := empty[c.operation]; !ok {
			var of sessions
			var err error
			measure(filepath.Join(dir, "operations"), c.operation, "2") // the first time is slower
			of.alone, err = operation(c.n, "sh", "-c", load)
			must(err)
			of.gostap, err = operation(c.n, gostap("empty", load)...)
			must(err)
			of.bpftrace, err = operation(c.n, bpftrace(load, "-e", "BEGIN {}")...)
			must(err)
			empty[c.operation] = of
			fmt.Printf("alone %s=%d\n", c.operation, of.alone)
		}
		ours, err := operation(c.n, gostap("tool_"+c.name, load)...)
		must(err)
		fmt.Printf("gostap %s=%d\n", c.name, ours-empty[c.operation].gostap)
		figure := "fails"
		if theirs, err := operation(c.n, bpftrace(load, "/usr/sbin/"+c.name+".bt")...); err == nil {
			figure = fmt.Sprint(theirs - empty[c.operation].bpftrace)
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Printf("bpftrace %s=%s\n", c.name, figure)
	}
}

// operation returns the instructions of one of n operations of a load, which runs in a command.
func operation(n int64, command ...string) (int64, error) {
	var loops []int64
	for range toolRuns {
		c, err := tryMeasure(command...)
		if err != nil {
			return 0, err
		}
		loops = append(loops, c.loop)
	}
	slices.Sort(loops)
	return loops[toolRuns/2] / n, nil
}
