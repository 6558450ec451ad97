// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"

	gostaptools "gostap/tools"
)

// toolCases are tools that bpftrace has, too, and what tests/load/operations does for them.
var toolCases = []struct{ name, operation string }{
	{"opensnoop", "open"}, {"statsnoop", "stat"}, {"vfsstat", "read"}, {"vfscount", "read"}, {"syscount", "read"}, {"killsnoop", "kill"},
	{"syncsnoop", "sync"}, {"setuids", "setuid"}, {"runqlat", "switch"},
}

// toolOperations is how many operations each figure stands on.
const toolOperations = 300

// tools measures what tools add to the instructions of a program whose operations they look at.
func tools(b *bench) error {
	if err := command("gcc", "-O2", "-static", "-pthread", "-o", filepath.Join(b.dir, "operations"), "tests/load/operations.c").Run(); err != nil {
		return err
	}
	for _, c := range toolCases {
		if _, err := gostaptools.Find(c.name); err != nil {
			continue
		}
		cmd := command(b.gostap, "tool", "-w", "-p4", "-r", b.release, "-m", "tool_"+c.name, c.name)
		cmd.Dir = b.dir
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	cost, err := b.inGuest("tools", true)
	if err != nil {
		return err
	}
	fmt.Printf("extra instructions of a program for each operation on %s\n", b.release)
	fmt.Printf("%-14s %-10s %10s %10s %10s\n", "", "operation", "alone", "gostap", "bpftrace")
	for _, c := range toolCases {
		if ours, ok := cost["gostap "+c.name]; ok {
			fmt.Printf("%-14s %-10s %10s %10s %10s\n", c.name, c.operation, cost["alone "+c.operation], ours, cost["bpftrace "+c.name])
		}
	}
	return nil
}

// guestTools runs every case inside the VM.
func guestTools(args []string) {
	dir := args[0]
	meters := map[string]*meter{}
	for _, c := range toolCases {
		module := filepath.Join(dir, "tool_"+c.name+".ko")
		if _, err := exec.LookPath("/usr/sbin/" + c.name + ".bt"); err != nil {
			continue
		}
		if found, _ := filepath.Glob(module); found == nil {
			continue
		}
		m := meters[c.operation]
		if m == nil {
			m = newMeter(filepath.Join(dir, "operations")+" "+c.operation+" %d", toolOperations)
			meters[c.operation] = m
			fmt.Printf("alone %s=%d\n", c.operation, m.plain.loop/m.n)
		}
		fmt.Printf("gostap %s=%s\n", c.name, m.perHit(false, func(cmd string) []string {
			return []string{filepath.Join(dir, "gostap"), "run", "-o", "/tmp/out", "-c", cmd, module}
		}))
		figure := "fails"
		if theirs, err := tryMeasure("bpftrace", "-o", "/tmp/out", "-c", m.load, "/usr/sbin/"+c.name+".bt"); err == nil {
			figure = fmt.Sprint((theirs.loop - m.plain.loop) / m.n)
		}
		fmt.Printf("bpftrace %s=%s\n", c.name, figure)
	}
}
