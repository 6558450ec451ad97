// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// toolSetup prepares the guest for operations.
const toolSetup = `set -e
ip link set lo up
modprobe null_blk nr_devices=4 gb=1 memory_backed=1 irqmode=0
modprobe -a ext4 xfs
mkswap -q /dev/nullb1
swapon /dev/nullb1
echo 0 >/proc/sys/vm/page-cluster
mkfs.ext4 -q /dev/nullb2
mkfs.xfs -q /dev/nullb3
mkdir -p /mnt/ext4 /mnt/xfs
mount /dev/nullb2 /mnt/ext4
mount /dev/nullb3 /mnt/xfs
mount | grep -q cgroup2 || mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
echo 4M >/sys/fs/cgroup/small/memory.max
echo 0 >/sys/fs/cgroup/small/memory.swap.max
`

// tools measures the instructions that tools add to a machine whose programs do what they trace.
func tools(b *bench) error {
	if err := command("gcc", "-O2", "-pthread", "-o", filepath.Join(b.dir, "operations"), "tests/load/operations.c").Run(); err != nil {
		return err
	}
	var chosen []string
	for _, c := range toolCases {
		if *onlyTools != "" && !strings.Contains(","+*onlyTools+",", ","+c.name+",") {
			continue
		}
		chosen = append(chosen, c.name)
		cmd := command(b.gostap, append([]string{"tool", "-w", "-p4", "-r", b.release, "-m", "tool_" + c.name, c.name}, c.options...)...)
		cmd.Dir = b.dir
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	cost, err := b.inGuest("tools", true, chosen...)
	if err != nil {
		return err
	}
	fmt.Printf("extra instructions of the machine for each operation on %s\n", b.release)
	fmt.Printf("%-16s %-16s %10s %10s %10s\n", "", "operation", "alone", "gostap", "bpftrace")
	for _, c := range toolCases {
		if ours, ok := cost["gostap "+c.name]; ok {
			fmt.Printf("%-16s %-16s %10s %10s %10s\n", c.name, c.operation, cost["alone "+c.operation], ours, cost["bpftrace "+c.name])
		}
	}
	return nil
}

// guestTools measures the tools in args, behind the folder, inside the VM.
func guestTools(args []string) {
	dir := args[0]
	setup := exec.Command("sh", "-c", toolSetup)
	setup.Stderr = os.Stderr
	must(setup.Run())
	meters := map[string]*meter{}
	for _, c := range toolCases {
		if !strings.Contains(" "+strings.Join(args[1:], " ")+" ", " "+c.name+" ") {
			continue
		}
		m := meters[c.operation]
		if m == nil {
			measure(filepath.Join(dir, "operations"), c.operation, "2") // the first time is slower
			m = newMeter(filepath.Join(dir, "operations")+" "+c.operation+" %d", c.n)
			meters[c.operation] = m
			fmt.Printf("alone %s=%d\n", c.operation, m.plain.loop/m.n)
		}
		fmt.Printf("gostap %s=%s\n", c.name, m.perHit(false, func(cmd string) []string {
			return []string{filepath.Join(dir, "gostap"), "run", "-o", "/tmp/ours", "-c", cmd, filepath.Join(dir, "tool_"+c.name+".ko")}
		}))
		figure := "fails"
		theirs, err := tryMeasure("bpftrace", "-o", "/tmp/theirs", "-c", m.load, "/usr/sbin/"+c.name+".bt")
		if err == nil {
			figure = fmt.Sprint((theirs.loop - m.plain.loop) / m.n)
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Printf("bpftrace %s=%s\n", c.name, figure)
	}
}
